"""A grammar of the queries that analysts write over the shop.

In a template `<n>` is a number, `t`, `d`, `l`, `b` are texts, timestamps, lists of texts, booleans.
`<qn>` is a query of one such column, `<1n>` one of one row, `<q>` any; `<c>` and `<o>` are tables.
What begins with `~` may give another result each time. In what is written, marks stand around all
that may be exchanged for something hostile.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st

Columns = tuple[tuple[str, str], ...]  # names and kinds: `amount:n`; `~` is a space in a name

# Known faults that are not mended yet: templates that are left out until their line here goes.
KNOWN_FAULTS = {
    "WITH k AS (<qn>) SELECT 1 FROM (unnest([1]) u CROSS JOIN k)": "k in the brackets is not read",
    "unnest([1, <n>]) @(x)": "FROM unnest([1]) u(x) JOIN b ON true SELECT x: not read",
    "unnest(['a', <t>]) @(x)": "as above",
    "~<c> @ TABLESAMPLE 50%": "the rows are drawn by chance",
    "<t> IN <l>": "IN with a list that is not of literals is refused: list_contains says it",
    "ORDER /* */ BY": "not read",
}

EXPRESSION, SOURCE, QUERY, SEPARATOR = "\ue000\ue001", "\ue002\ue003", "\ue004\ue005", "\ue006"


def _split(text: str) -> list[str]:
    parts = re.split(r"\n\s*|(?<=\S)\|(?=\S)", text.strip())
    return [part for part in parts if part not in KNOWN_FAULTS]


def _kinds(text: str) -> dict[str, list[str]]:
    found = re.findall(r"^    (\w+ [ntdlb]): (.*(?:\n {8,}.*)*)", text, re.M)
    return {kind: _split(templates) for kind, templates in found}


def _columns(text: str) -> Columns:
    parts = (part.rsplit(":", 1) for part in text.split())
    return tuple((name.replace("~", " "), kind) for name, kind in parts)


def _with_columns(text: str) -> list[tuple[str, Columns]]:
    """Templates and the columns that they give: `FROM <o> => amount:n ;; …`."""
    parts = (line.strip().partition(" =>") for line in re.split(r"\n| ;; ", text.strip()))
    return [(sql, _columns(names)) for sql, _, names in parts if sql not in KNOWN_FAULTS]


_TABLES = {
    "customers": "customer_id:n name:t country:t",
    "orders": "order_id:n customer_id:n amount:n ordered_at:d tags:l",
    "odd": '"order":n "group":t "47_1_Id":n "two~words":n',
    "legacy": "id:n",
}
_PLACES = {
    "customers": _split('shop.main.customers|customers|main.customers|"customers"'),
    "orders": _split('shop.main.orders|orders|main.orders|"orders"'),
    "odd": _split('shop."Odd Schema".odd|odd|"Odd Schema".odd|"Odd Schema"."odd"'),
    "legacy": _split("shop.main.orders_old|legacy|orders_old|main.orders_old"),
}
_TEMPLATES = _kinds(
    r"""
    leaf n: NULL::INTEGER|1_000|3.5|1e2|-2|1|0
    leaf t: $$it's$$|'it''s'|E'a\nb'|'Ann'|'/* '|''
        'SELECT email FROM customers'|'; DROP TABLE orders; --'|'read_csv(''x'')'|NULL::VARCHAR|'a'
    leaf d: make_timestamp(2024, 1, 2, 0, 0, 0)|'2024-01-03'::TIMESTAMP|TIMESTAMP '2024-01-02'
        (TIMESTAMP '2024-01-02')
    leaf l: string_split('a b', ' ')|list_value('a')|[]::VARCHAR[]|['a', 'b']
    leaf b: false|1 = 1|true
    any n: len(<l>)|<n> * 2|<n> / 2|<n> % 2|- <n>|(<n>)
        list_sum(list_transform([1, <n>], lambda x: x + <n>))|CASE WHEN <b> THEN <n> ELSE <n> END
        MAP(['k'], [<n>])['k']|extract(year FROM <d>)|epoch(INTERVAL 2 HOUR)|position('a' IN <t>)
        (SELECT max(x) FROM unnest([1, <n>]) AS u(x))|list_sum([x * 2 FOR x IN [1, <n>] IF x > 1])
        (SELECT <n>)|<b>::INTEGER|length(<t>)|<n>::BIGINT|(<n>).abs()|<n> - <n>|year(<d>)|abs(<n>)
        MAP {'k': <n>}['k']|coalesce(<n>, <n>)|greatest(<n>, <n>)|if(<b>, <n>, <n>)|{'k': <n>}['k']
        list_sum(list_transform([1, 2], lambda x, i: x * i))|list_reduce([1, 2], lambda x, y: x + y)
        CASE <t> WHEN 'a' THEN <n> END|CAST(<n> AS DECIMAL(18, 3))|date_diff('day', <d>, <d>)|(<1n>)
        TRY_CAST(<t> AS INTEGER)|struct_pack(k := <n>).k|date_part('month', <d>)|CAST(<n> AS DOUBLE)
        [1, 2, 3][1:2][1]|len([[1], [<n>]])|(<n> + <n>) * <n>|nullif(<n>, 0)|ifnull(<n>, 0)|<n> // 2
        [<n>, 2, 3][1]|row(1, <n>)[1]|round(<n>, 1)|[1, <n>][-1]|{'k': <n>}.k|(<1n>) + <n>|<n> + <n>
    any t: <t> || <t>|lower(<t>)|md5(<t>)|<l>[1]|(<1t>)
        printf('%s', <t>)|list_sort(<l>)[1]|concat(<t>, <n>)|dayname(<d>)|<t>.upper()|upper(<t>)
        json_extract_string('{"a": "x"}', '$.a')|CASE WHEN <b> THEN <t> ELSE 'z' END|<n>::VARCHAR
        array_to_string(<l>, ',')|format('{}-{}', <t>, <n>)|concat_ws('-', <t>, <t>)|{'k': <t>}.k
        split_part(<t>, ' ', 1)|strftime(<d>, '%Y-%m')|replace(<t>, 'a', 'b')|coalesce(<t>, 'none')
        regexp_replace(<t>, 'a.', 'b', 'g')|regexp_extract(<t>, '(a)(.)', 1)|trim(BOTH ' ' FROM <t>)
        to_json({'k': <n>})::VARCHAR|substring(<t> FROM 1 FOR 2)|'{"a": "x"}'::JSON ->> 'a'|<t>[1:2]
        CAST(<n> AS VARCHAR)|~<t> COLLATE NOCASE|<t>.upper().lower()|<d>::DATE::VARCHAR|left(<t>, 2)
    any d: <d> + INTERVAL 1 DAY|<d>::DATE::TIMESTAMP|coalesce(<d>, <d>)|<d> + to_days(2)
        CASE WHEN <b> THEN <d> END|<d> + INTERVAL (2) MONTH|date_trunc('month', <d>)|(<1d>)
        strptime('2024-01-02', '%Y-%m-%d')|time_bucket(INTERVAL 7 DAY, <d>)|<d> - INTERVAL '2 hours'
    any l: list_concat(<l>, <l>)|list_append(<l>, <t>)|[<t>, <t>]|<l> || <l>|<l>[1:1]
        list_transform(<l>, lambda x: upper(x))|list_filter(<l>, lambda x: x <> 'a')|list_sort(<l>)
        [x FOR x IN <l> IF x = <t>]|[x || 'z' FOR x IN <l>]|list_sort(ARRAY(<qt>))|list_reverse(<l>)
    any b: <b> IS TRUE|<n> <= <n>|<t> IN <l>|<t> ^@ 'a'|<n> > <n>|<n> = <n>|<t> = <t>|<d> < <d>
        list_has_all(<l>, <l>)|starts_with(<t>, <t>)|contains(<t>, <t>)
        list_has_any(<l>, <l>)|<b> AND NOT <b> OR <b>|<n> BETWEEN 0 AND <n>|<t> NOT IN ('a', <t>)
        <t> NOT LIKE 'x\_%' ESCAPE '\'|regexp_matches(<t>, 'a.b')|<n> NOT BETWEEN <n> AND 2|NOT <b>
        <n> IS DISTINCT FROM <n>|<d> >= DATE '2024-01-01'|list_contains(<l>, <t>)|<n> IN (1, 2, <n>)
        (<n>, <t>) IN (<qnt>)|<t> SIMILAR TO 'A.*'|<n> NOT IN (<qn>)|NOT EXISTS (<q>)|<t> LIKE '%a%'
        <n> = ANY (<qn>)|<n> > ALL (<qn>)|<n> IS NOT NULL|<t> = ANY (<l>)|<t> ILIKE 'A%'|<n> IS NULL
        (<b> AND <b>)|<n> IN (<qn>)|<t> IN (<qt>)|<t> GLOB 'a*'|(<b> OR <b>)|EXISTS (<q>)|<n> <> <n>
    sum n: sum(DISTINCT <n>)|count_if(<b>)|count(<n>)|count(*)|sum(<n>)|max(<n>)|avg(<n>)|count()
        sum(<n>) FILTER (WHERE <b>)|quantile_cont(<n>, 0.5)|count(DISTINCT <t>)|min(<n>) + count(*)
        percentile_cont(0.5) WITHIN GROUP (ORDER BY <n>)|sum(CASE WHEN <b> THEN <n> END)|median(<n>)
    sum t: max(<t>) FILTER (WHERE <b>)|~first(<t> ORDER BY <n>)|~arg_max(<t>, <n>)|max(<t>)
        array_to_string(list_sort(list(<t>)), ',')|~string_agg(<t>, ', ' ORDER BY <n>)|min(<t>)
    sum d: max(<d>) FILTER (WHERE <b>)|min(<d>)|max(<d>)
    sum l: list_sort(array_agg(DISTINCT <t>))|~list(<t> ORDER BY <n>)|list_sort(list(<t>))
    sum b: bool_and(<b>)|bool_or(<b>)|count(*) > 1
    over n: ~lead(<n> IGNORE NULLS) OVER (w ORDER BY <n>)|~lag(<n>, 1, 0) OVER (ORDER BY <d>)
        ~row_number() OVER (ORDER BY <n>)|count(*) OVER (PARTITION BY <t>)|sum(<n>) OVER w
        avg(<n>) OVER (ORDER BY <d> RANGE BETWEEN INTERVAL 7 DAY PRECEDING AND CURRENT ROW)
        ~sum(<n>) OVER (ORDER BY <n> GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE TIES)
        ~max(<n>) OVER (ORDER BY <n> ROWS UNBOUNDED PRECEDING EXCLUDE CURRENT ROW)|sum(<n>) OVER ()
        sum(<n>) FILTER (WHERE <b>) OVER (PARTITION BY <n>)|~first_value(<n>) OVER (w ORDER BY <n>)
        ~sum(<n>) OVER (ORDER BY <n> ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)|count(*) OVER w + <n>
        dense_rank() OVER (PARTITION BY <t> ORDER BY <n> DESC NULLS LAST)|rank() OVER (ORDER BY <n>)
    over t: max(<t>) OVER (PARTITION BY <n>)|~lag(<t>) OVER (ORDER BY <n>)|min(<t>) OVER w
    """
)
_QUERIES = _with_columns(
    """
    WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 4) FROM r => n:n
    SELECT grouping(amount) g, 1 n FROM <o> GROUP BY GROUPING SETS ((amount), ()) => g:n n:n
    FROM <o> o ASOF LEFT JOIN <o> p ON o.amount = p.amount AND o.order_id > p.order_id =>
    UNPIVOT (SELECT name, country FROM <c>) ON COLUMNS(*) INTO NAME k VALUE v => k:t v:t
    PIVOT <o> ON amount IN (1) USING sum(amount) GROUP BY order_id => order_id:n "1":n
    ~SELECT DISTINCT ON (customer_id) * FROM <o> ORDER BY customer_id, <n> => amount:n
    FROM <o> SELECT amount, customer_id WHERE amount > <n> ORDER BY ALL => amount:n
    WITH RECURSIVE t(a) USING KEY (a) AS (SELECT 1 UNION FROM t) FROM t => a:n
    SELECT name FROM <c> UNION BY NAME SELECT amount FROM <o> => name:t ;; TABLE <c> => name:t
    UNPIVOT <o> ON order_id, customer_id INTO NAME k VALUE v => k:t v:n
    SELECT coalesce(*COLUMNS(['name', 'country'])) x FROM <c> => x:t ;; FROM <o> => amount:n tags:l
    SELECT amount a, a * 2 b FROM <o> WHERE b > 1 AND <b> => a:n b:n
    SELECT COLUMNS(lambda c: c LIKE 'a%') FROM <o> => amount:n
    SELECT * REPLACE (1 AS name) FROM <c> => ;; WITH k AS NOT MATERIALIZED (<qn>) FROM k =>
    SELECT COLUMNS('amount|order_id') FROM <o> => amount:n ;; SELECT customers FROM <c> customers =>
    SELECT * RENAME (name AS called) FROM <c> => called:t ;; ~FROM <o> USING SAMPLE 50% => amount:n
    SELECT c.name email FROM <c> c WHERE <b> => email:t ;; SELECT * LIKE 'c%' FROM <c> => country:t
    SELECT order_id, unnest(tags) tag FROM <o> => tag:t ;; FROM <o> NATURAL JOIN <c> => amount:n
    SELECT max(COLUMNS(* EXCLUDE (tags))) FROM <o> => ;; ~FROM <c> FETCH FIRST 2 ROWS ONLY => name:t
    FROM <o> POSITIONAL JOIN <c> => amount:n name:t ;; SELECT * EXCLUDE (name) FROM <c> => country:t
    SELECT 1 a UNION BY NAME (SELECT <n> a) => a:n ;; SELECT o.* EXCLUDE tags FROM <o> o => amount:n
    WITH k(a) AS MATERIALIZED (<qn>) FROM k => a:n ;; VALUES (1, <t>), (<n>, NULL) => col0:n col1:t
    SELECT s.* FROM (SELECT {'x': <n>} s) => x:n ;; SELECT unnest({'x': 1, 'y': <t>}) => x:n y:t
    WITH k AS (<qn>) SELECT 1 FROM (unnest([1]) u CROSS JOIN k) =>
    """
)
_SOURCES = _with_columns(
    """
    (FROM <o>) PIVOT (sum(amount) AS s, count(*) FOR customer_id IN (1 AS one, 2)) => one_s:n
    generate_series(TIMESTAMP '2024-01-01', '2024-01-04', INTERVAL 1 DAY) @(x) => x:d
    <c> UNPIVOT INCLUDE NULLS (v FOR k IN (name, country)) => v:t k:t ;; range(4) @(x) => x:n
    (PIVOT <o> ON amount IN (1) USING count(*) AS n) => order_id:n ;; unnest(['a', <t>]) @(x) => x:t
    <o> UNPIVOT (v FOR k IN (order_id, amount)) => v:n k:t ;; (<c> @ CROSS JOIN legacy) => name:t
    <o> PIVOT (sum(amount) FOR amount IN (1)) => "1":n ;; (<o> @ JOIN <c> ON <b>) => amount:n
    ~<o> @ TABLESAMPLE reservoir(2 ROWS) => amount:n ;; (<o> @ CROSS JOIN legacy) => amount:n tags:l
    ((SELECT 1 AS n) @ CROSS JOIN legacy) => n:n ;; json_each('{"a": 1}') @(x) => x:t
    generate_series(1, 3) @(x) => x:n ;; ~<c> @ TABLESAMPLE 50% => name:t
    (VALUES (1), (<n>)) @(x) => x:n ;; unnest([1, <n>]) @(x) => x:n
    """
)
_TAILS = _split(
    """ORDER BY ALL|ORDER BY 1 DESC NULLS LAST|ORDER BY ALL LIMIT 3|~OFFSET 1|ORDER BY ALL LIMIT 50%
    ORDER BY ALL DESC LIMIT 2 OFFSET 1|~LIMIT 2|~ORDER BY 1 LIMIT (<1n>)|ORDER BY (<1n>), 1"""
)


class _Source(NamedTuple):
    name: str
    columns: Columns


Sources = tuple[_Source, ...]


class _Env(NamedTuple):  # what names may stand for
    ctes: Sources = ()
    scope: Sources = ()
    outer: Sources = ()  # of the queries around


class _Writer:
    def __init__(self, draw: Any, size: int, full_names: bool) -> None:
        self._draw, self._left, self._names, self._full = draw, size, 0, full_names
        self.exact = True

    def pick(self, options: Sequence[Any]) -> Any:
        return self._draw(st.sampled_from(options))

    def once_in(self, times: int) -> bool:
        return bool(self._draw(st.integers(1, times)) == times)

    def fresh(self, prefix: str) -> str:
        self._names += 1
        return f"{prefix}{self._names}"

    def fill(self, template: str, env: _Env) -> str:
        if template.startswith("~"):
            self.exact, template = False, template[1:]
        return re.sub(r"<(\w+)>", lambda match: self._part(match[1], env), template)

    def _filled(self, role: str, kind: str, env: _Env) -> str:
        return self.fill(self.pick(_TEMPLATES[f"{role} {kind}"]), env)

    def _part(self, name: str, env: _Env) -> str:
        inner = _Env(env.ctes, (), (*env.outer, *env.scope))
        if name in "co":
            return self._table({"c": "customers", "o": "orders"}[name], env)[0]
        if name[0] == "q":
            return (self.query(name[1:], inner) if name[1:] else self.any_query(inner))[0]
        if name[0] == "1":
            return f"{QUERY[0]}{self._aggregated(name[1], inner, [''])}{QUERY[1]}"
        return self.expression(name, env)

    def expression(self, kind: str, env: _Env) -> str:
        self._left -= 1
        leaf = self._left <= 0 or self.once_in(3)
        text = self._leaf(kind, env) if leaf else self._filled("any", kind, env)
        text = text if leaf or self.once_in(3) else f"({text})"
        return f"{EXPRESSION[0]}{kind}{text}{EXPRESSION[1]}"

    def _leaf(self, kind: str, env: _Env) -> str:
        around = env.outer if env.outer and self.once_in(4) else ()
        seen = (*env.scope, *around)
        named = [(s.name, name) for s in seen for name, k in s.columns if k == kind]
        if not named or self.once_in(5):
            return self._filled("leaf", kind, env)
        source, column = self.pick(named)
        twins = sum(name == column for s in env.scope for name, _ in s.columns)
        plain = twins == 1 and not around and self.once_in(2)
        return column if plain else f"{source}.{column}"

    def query(self, kinds: str, env: _Env) -> tuple[str, Columns]:
        self._left -= 2
        shapes = (self._select, self._select, self._grouped, self._union, self._with)
        shape = self.pick(shapes) if self._left > 0 else self._select
        text, columns = shape(kinds, env)
        if self._left > 0 and self.once_in(4):
            text += " " + self.fill(self.pick(_TAILS), env)
        return f"{QUERY[0]}{text}{QUERY[1]}", columns

    def any_query(self, env: _Env) -> tuple[str, Columns]:
        if self._left <= 0 or self.once_in(2):
            return self.query(self.pick(["n", "t", "nt", "ndt", "lb"]), env)
        self._left -= 2
        if self.once_in(4):
            from_, sources = self._from(env, needed=True)
            whole = self.pick(["SELECT *", "", f"SELECT {sources[0].name}.*"])
            text, columns = f"{whole} {from_}".strip(), sources[0].columns
        else:
            text, columns = self.pick(_QUERIES)
        return f"{QUERY[0]}{self.fill(text, env)}{QUERY[1]}", columns

    def _select(self, kinds: str, env: _Env) -> tuple[str, Columns]:
        from_, sources = self._from(env)
        here, shown = env._replace(scope=sources), []
        columns = tuple((self.fresh("c"), kind) for kind in kinds)
        for name, kind in columns:
            over = kind in "nt" and self._left > 0 and self.once_in(5)
            value = self._filled("over", kind, here) if over else self.expression(kind, here)
            form: str = self.pick(
                ["{0} AS {1}", "{0} AS {1}", "{0} {1}", '{0} AS "{1}"', "{1}: {0}"]
            )
            shown.append(form.format(value, name))
        select = f"SELECT {'DISTINCT ' if self.once_in(8) else ''}{', '.join(shown)}"
        where = f" WHERE {self.expression('b', here)}" if sources and self.once_in(3) else ""
        text = (f"{from_} {select}" if from_ and self.once_in(5) else f"{select} {from_}") + where
        if "OVER w" in text or "OVER (w" in text:
            text += f" WINDOW w AS (PARTITION BY {self.expression('n', here)})"
        if sources and self._left > 0 and self.once_in(8):
            text += " QUALIFY " + self.fill("rank() OVER (ORDER BY <n>) <= <n>", here)
        return text, columns

    def _grouped(self, kinds: str, env: _Env) -> tuple[str, Columns]:
        columns = tuple((self.fresh("c"), kind) for kind in kinds)
        names = [f" AS {name}" for name, _ in columns]
        if len(kinds) < 2:
            return self._aggregated(kinds, env, names), columns
        from_, sources = self._from(env, needed=True)
        here = env._replace(scope=sources)
        key, first = self.expression(kinds[0], here), columns[0][0]
        shown = self._sums(kinds[1:], here, names[1:])
        groups = ["1", "ALL", first, key, f"ROLLUP ({key})", f"CUBE ({first})"]
        group = self.pick([*groups, f"GROUPING SETS (({first}), ())"])
        where = f" WHERE {self.expression('b', here)}" if self.once_in(4) else ""
        having = f" HAVING {self._filled('sum', 'b', here)}" if self.once_in(4) else ""
        return f"SELECT {key}{names[0]}, {shown} {from_}{where} GROUP BY {group}{having}", columns

    def _aggregated(self, kinds: str, env: _Env, names: list[str]) -> str:
        from_, sources = self._from(env)
        return f"SELECT {self._sums(kinds, env._replace(scope=sources), names)} {from_}"

    def _sums(self, kinds: str, env: _Env, names: list[str]) -> str:
        values = (self._filled("sum", kind, env) for kind in kinds)
        return ", ".join(value + name for value, name in zip(values, names, strict=True))

    def _union(self, kinds: str, env: _Env) -> tuple[str, Columns]:
        left, columns = self._select(kinds, env)
        word = self.pick(_split("UNION ALL|UNION|INTERSECT|EXCEPT|EXCEPT ALL|INTERSECT ALL"))
        if self.once_in(2):
            word = self.pick([word, "UNION ALL BY NAME", "UNION BY NAME"])
            return f"{left} {word} {self._select(kinds, env)[0]}", columns[:1]
        return f"{left} {word} ({self.query(kinds, env)[0]})", columns

    def _with(self, kinds: str, env: _Env) -> tuple[str, Columns]:
        parts: list[str] = []
        recursive = self.once_in(4)
        while not parts or (self._left > 0 and self.once_in(3)):
            body, columns = self.any_query(env)
            shadow = not recursive and not self._full and self.once_in(8)
            name = self.pick(["orders", "customers"]) if shadow else self.fresh("k")
            kind = self.pick(["AS", "AS MATERIALIZED"])
            if columns and self.once_in(5):
                columns = ((self.fresh("c"), columns[0][1]),)
                kind = f"({columns[0][0]}) AS"
            parts.append(f"{name} {kind} ({body})")
            env = env._replace(ctes=(*env.ctes, _Source(name, columns)))
        text, columns = self._select(kinds, env)
        return f"WITH {'RECURSIVE ' if recursive else ''}{', '.join(parts)} {text}", columns

    def _from(self, env: _Env, needed: bool = False) -> tuple[str, Sources]:
        if not needed and self.once_in(8):
            return "", ()
        text, source = self._source(env, alone=True)
        sources: Sources = (source,)
        while len(sources) < 3 and self._left > 0 and self.once_in(3):
            text, sources = self._joined(text, sources, env)
        return f"FROM {text}", sources

    def _joined(self, text: str, sources: Sources, env: _Env) -> tuple[str, Sources]:
        if self.once_in(5):
            inner, columns = self.query("n", _Env(env.ctes, (), (*env.outer, *sources)))
            alias = self.fresh("a")
            form = self.pick([", LATERAL ({}) AS {}", " LEFT JOIN LATERAL ({}) AS {} ON true"])
            return text + form.format(inner, alias), (*sources, _Source(alias, columns))
        right, source = self._source(env)
        both, same = (*sources, source), [c[0] for c in sources[0].columns if c in source.columns]
        if self.once_in(4):
            return text + self.pick([", ", " CROSS JOIN "]) + right, both
        word = self.pick(_split("JOIN|LEFT JOIN|SEMI JOIN|ANTI JOIN|FULL JOIN|RIGHT JOIN"))
        kept = sources if word[:4] in ("SEMI", "ANTI") else both
        if len(sources) == 1 and same and self.once_in(2):
            return f"{text} {word} {right} USING ({same[0]})", kept
        return f"{text} {word} {right} ON {self.expression('b', env._replace(scope=both))}", kept

    def _source(self, env: _Env, alone: bool = False) -> tuple[str, _Source]:
        self._left -= 1
        shape = self.pick(["table", "table", "cte", "query", "other", "other"])
        alias, as_ = self.fresh("a"), self.pick([" AS ", " "])
        if shape == "cte" and env.ctes:
            source = self.pick(env.ctes)
            return f"{source.name}{as_}{alias}", _Source(alias, source.columns)
        if shape == "query" and self._left > 0:
            text, columns = self.any_query(_Env(env.ctes, (), env.outer))
            return f"({text}){as_}{alias}", _Source(alias, columns)
        if shape == "other":
            text, columns = self.pick(_SOURCES)
            text = self.fill(text if "@" in text else f"{text} AS @", env).replace("@", alias)
            return text, _Source(alias, columns)
        name = self.pick(sorted(_TABLES))
        columns, bare = _columns(_TABLES[name]), alone and self.once_in(3)
        text, place = self._table(name, env, bare)
        if bare:
            return text, _Source(self.pick([place, place.rsplit(".", 1)[-1]]), columns)
        if self.once_in(6):
            columns = tuple((self.fresh("x"), kind) for _, kind in columns)
            return f"{text}{as_}{alias}({', '.join(n for n, _ in columns)})", _Source(
                alias, columns
            )
        text = f"{alias}: {text}" if self.once_in(8) else f"{text}{as_}{alias}"
        return text, _Source(alias, columns)

    def _table(self, table: str, env: _Env, bare: bool = False) -> tuple[str, str]:
        """A table in marks, and as it is written."""
        full = self._full or any(source.name == table for source in env.ctes)
        place = self.pick(_PLACES[table][: 1 if full else None])
        return f"{SOURCE[0]}{table * bare} {_TABLES[table]}{SEPARATOR}{place}{SOURCE[1]}", place


def written(draw: Any, full_names: bool = False) -> tuple[str, bool]:
    """A query with its marks, and whether it gives the same rows each time."""
    writer = _Writer(draw, draw(st.integers(1, 40)), full_names)
    return writer.any_query(_Env())[0], writer.exact


def bare(marked: str) -> str:
    """A query without its marks."""
    return re.sub("\ue002[^\ue006]*\ue006|\ue000.|[\ue000-\ue006]", "", marked)
