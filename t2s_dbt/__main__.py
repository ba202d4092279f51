"""`python -m t2s_dbt` is `dbt-t2s`."""

from t2s_dbt.cli.main import main

main()
