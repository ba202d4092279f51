"""Two shops that differ in nothing but what nobody may see: the real one, and its twin.

Whatever a question gets to know must be the same of both. That also finds what is only computed
from a hidden value: its length, its place in an order, whether it matches a guess.
"""

import hashlib
import json
from pathlib import Path
from shutil import copytree, rmtree

import duckdb

from t2s_dbt.catalog import Catalog, Column, HiddenColumn, Relation, Table

CANARY = "canary-7f3a"
TWIN = "other-91"
HIDDEN_NAMES = ("email", "contact")


class Worlds:
    """The folders of the two shops, each with its database and the files beside it.

    Args:
        real: where the shop is put.
        twin: where its twin is put.
        kept_real: the shop as it was built, which no statement sees.
        kept_twin: its twin.

    """

    def __init__(self, real: Path, twin: Path, kept_real: Path, kept_twin: Path) -> None:
        self.real, self.twin = real, twin
        self._kept = {real: kept_real, twin: kept_twin}
        self._states = {place: state(kept) for place, kept in self._kept.items()}
        for place, kept in self._kept.items():
            copytree(kept, place)

    def changed(self, place: Path) -> bool:
        """Whether a shop is not as it was built; it is put back then."""
        if state(place) == self._states[place]:
            return False
        rmtree(place)
        copytree(self._kept[place], place)
        return True


def _table(name: str, columns: str) -> Table:
    named = (part.split(":") for part in columns.split())
    shown = tuple(Column(column, data_type) for column, data_type in named)
    return Table(name, f"model.shop.{name}", Relation("shop", "main", name), shown)


CUSTOMERS = _table("customers", "customer_id:INTEGER name:VARCHAR country:VARCHAR")
ORDERS = _table(
    "orders",
    "order_id:INTEGER customer_id:INTEGER amount:DOUBLE ordered_at:TIMESTAMP tags:VARCHAR[]",
)
CONTACTS = _table("customer_contacts", "customer_id:INTEGER city:VARCHAR")
CATALOG = Catalog(
    tables=(CUSTOMERS, ORDERS, CONTACTS),
    hidden=(
        HiddenColumn(CUSTOMERS.relation, "customers", "email", "flagged in its YAML"),
        HiddenColumn(CONTACTS.relation, "customer_contacts", "contact", "copies a hidden column"),
    ),
)

_SHARED_TABLES = """
CREATE TABLE orders (
    order_id INT, customer_id INT, amount DOUBLE, ordered_at TIMESTAMP, tags VARCHAR[]
);
INSERT INTO orders
    SELECT i, i % 4 + 1, i * 1.5, TIMESTAMP '2024-01-01' + INTERVAL 1 DAY * i, ['a', 'b']
    FROM range(40) AS r(i);
CREATE SEQUENCE ticket;
"""
# The first mark of the real shop sorts first, the twin's last; they differ in length and in NULLs.
_MAIL = {
    CANARY: "('{0}-mail-1@a.org'), ('{0}-mail-2@a.org'), ('{0}-mail-3@b.org'), (NULL)",
    TWIN: "('z-{0}-mail@c.org'), (NULL), ('a-{0}-m@a.org'), ('{0}-mail-4-and-longer@a.org')",
}
_SECRET_TABLES = """
CREATE TEMP TABLE mails AS SELECT row_number() OVER () AS id, mail FROM (VALUES {mails}) AS m(mail);
CREATE TABLE customers (customer_id INT, name VARCHAR, email VARCHAR, country VARCHAR);
INSERT INTO customers
    SELECT id, ['Ann', 'Bob', 'Cid', 'Dee'][id], mail, ['DE', 'FR', 'DE', NULL][id] FROM mails;
CREATE TABLE customer_contacts AS
    SELECT customer_id, email AS contact, ['Ulm', 'Lyon', 'Bonn', 'Rome'][customer_id] AS city
    FROM customers;
CREATE TABLE salaries AS SELECT '{mark}-pay' AS amount, length('{mark}') AS pay;
CREATE TABLE tokens AS SELECT '{mark}-token' AS amount;
CREATE VIEW mailing AS SELECT name, email AS amount FROM customers;
CREATE MACRO mail_of(id) AS (SELECT max(email) FROM customers WHERE customer_id = id);
CREATE MACRO mails_of(id) AS TABLE SELECT email FROM customers WHERE customer_id = id;
CREATE TYPE mail_kind AS ENUM ('{mark}-kind');
DROP TABLE mails;
"""


def build(folder: Path, mark: str) -> Path:
    """A folder with a shop's database, the files a thief would like to read, and places to write
    to.
    """
    for name in ("out", "home"):
        (folder / name).mkdir(parents=True)
    with duckdb.connect(str(folder / "shop.duckdb"), config={"threads": 1}) as connection:
        connection.execute(_SHARED_TABLES)
        connection.execute(_SECRET_TABLES.format(mails=_MAIL[mark].format(mark), mark=mark))
        connection.execute(f"COPY (SELECT '{mark}-parquet' AS a) TO '{folder}/s.parquet'")
    with duckdb.connect(str(folder / "other.duckdb")) as connection:
        connection.execute(f"CREATE TABLE t AS SELECT '{mark}-duckdb' AS a")
    (folder / "secret.csv").write_text(f"user,pay\n{mark}-csv,7\n", encoding="utf-8")
    (folder / "secret.txt").write_text(f"{mark}-txt\n", encoding="utf-8")
    (folder / "s.json").write_text(json.dumps({"a": f"{mark}-json"}), encoding="utf-8")
    return folder


def state(folder: Path) -> dict[str, str]:
    """Every file and folder below a folder, and a hash of what is in it."""
    return {
        str(path.relative_to(folder)): hashlib.blake2b(path.read_bytes()).hexdigest()
        if path.is_file()
        else "folder"
        for path in sorted(folder.rglob("*"))
    }
