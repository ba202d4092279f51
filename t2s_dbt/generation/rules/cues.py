"""The closed-class words of questions: what asks to count, group, compare, order, negate.

These are words of English and of reporting, never of a project. A phrase that is not here, and that
no table, column, metric or value explains, is left over and makes the reading unsure.
"""

from dataclasses import dataclass
from enum import StrEnum

from t2s_dbt.kinds import Aggregate
from t2s_dbt.reading import Grain, Operator


class Cue(StrEnum):
    """What a closed-class phrase asks for."""

    COUNT = "count"
    HOW_MUCH = "how much"
    AMOUNT = "amount"
    AGGREGATE = "aggregate"
    DISTINCT = "distinct"
    GROUP = "group"
    BY = "by"
    TOP = "top"
    SUPERLATIVE = "superlative"
    MOST = "most"
    NEWEST = "newest"
    LIST = "list"
    WHICH = "which"
    WHEN = "when"
    COMPARE = "compare"
    BETWEEN = "between"
    NOT = "not"
    WITHOUT = "without"
    MISSING = "missing"
    PRESENT = "present"
    SORT = "sort"
    DIRECTION = "direction"
    PATTERN = "pattern"
    AND = "and"
    OR = "or"
    BOTH = "both"
    PREPOSITION = "preposition"
    OF = "of"
    TO = "to"
    WITH = "with"
    THAT = "that"
    IS = "is"
    GRAIN = "grain"
    PERIODIC = "periodic"
    OVER_TIME = "over time"
    MARK = "mark"
    FILLER = "filler"


@dataclass(frozen=True, slots=True)
class Meaning:
    """A cue and its parameter: an aggregate, an operator, a direction (True is descending) or a
    grain.
    """

    cue: Cue
    value: Aggregate | Operator | Grain | bool | None = None


def _table(
    *entries: tuple[Cue, Aggregate | Operator | Grain | bool | None, str],
) -> dict[str, Meaning]:
    found: dict[str, Meaning] = {}
    for cue, value, texts in entries:
        for text in texts.split("|"):
            found[" ".join(text.split())] = Meaning(cue, value)
    return found


PHRASES: dict[str, Meaning] = _table(
    (Cue.COUNT, None, "how many|number of|the number of|count of|count|total number of"),
    (Cue.HOW_MUCH, None, "how much|volume of"),
    (Cue.AMOUNT, None, "amount of|value of|total value of|total amount of"),
    (Cue.AGGREGATE, Aggregate.SUM, "total|sum of|the sum of|overall|sum|in total|altogether"),
    (Cue.AGGREGATE, Aggregate.AVERAGE, "average|mean|avg|on average|average of|mean of"),
    (Cue.AGGREGATE, Aggregate.MEDIAN, "median|median of|typical"),
    (Cue.AGGREGATE, Aggregate.MIN, "minimum|min|minimum of"),
    (Cue.AGGREGATE, Aggregate.MAX, "maximum|max|maximum of|peak"),
    (Cue.DISTINCT, None, "different|distinct|unique|distinct values of|unique values of"),
    (Cue.BY, None, "by"),
    (
        Cue.GROUP,
        None,
        """per|for each|for every|in each|in every|each|every|across|across all|broken down by
        |break down by|split by|grouped by|group by|for all|of each|from each|at each|within each
        |breakdown by|separated by|by each""",
    ),
    (Cue.TOP, True, "top|best|leading"),
    (Cue.TOP, False, "bottom|worst"),
    (
        Cue.SUPERLATIVE,
        True,
        """highest|largest|biggest|greatest|strongest|longest|the highest|the largest|the biggest
        |the longest""",
    ),
    (Cue.SUPERLATIVE, False, "lowest|smallest|weakest|shortest|the lowest|the smallest"),
    (Cue.MOST, True, "most|the most"),
    (Cue.MOST, False, "least|fewest|the least|the fewest"),
    (Cue.NEWEST, True, "newest|latest|most recent|the latest|the newest|the most recent"),
    (Cue.NEWEST, False, "oldest|earliest|the oldest|the earliest"),
    (
        Cue.LIST,
        None,
        """list|show|show me|give me|display|list all|list the|show all|tell me|get|find|get me|name
        |list of|a list of|return|print|output""",
    ),
    (Cue.WHEN, None, "when|on which day|what date"),
    (Cue.WHICH, None, "which|what|who|whose|which of|what kind of|what kinds of|what type of"),
    (
        Cue.COMPARE,
        Operator.GT,
        "more than|over|above|greater than|larger than|higher than|exceeding|>",
    ),
    (Cue.COMPARE, Operator.GE, "at least|no less than|not less than|minimum of|>="),
    (Cue.COMPARE, Operator.LT, "less than|under|below|fewer than|lower than|smaller than|<"),
    (Cue.COMPARE, Operator.LE, "at most|up to|no more than|not more than|<="),
    (Cue.COMPARE, Operator.EQ, "exactly|equal to|equals|="),
    (Cue.BETWEEN, None, "between"),
    (
        Cue.NOT,
        None,
        """not|excluding|except|except for|other than|non|apart from|but not|never|not in
        |exclude|leaving out|outside|outside of|aren't|isn't|wasn't|weren't|didn't|don't|haven't
        |hasn't|doesn't|not from|that are not|who are not|nor|neither""",
    ),
    (
        Cue.WITHOUT,
        None,
        "without|with no|no|have no|has no|without a|without an|without any|lacking",
    ),
    (Cue.MISSING, None, "missing|blank|empty|unknown|is null|null|is missing|is empty|is unknown"),
    (Cue.PRESENT, None, "not null|is not null|not missing|not empty|is known|filled in"),
    (
        Cue.SORT,
        None,
        "sorted by|ordered by|order by|sort by|ranked by|rank by|in order of|sorted|ranked",
    ),
    (
        Cue.DIRECTION,
        True,
        """descending|desc|from highest to lowest|highest first|largest first|newest first
        |most first""",
    ),
    (
        Cue.DIRECTION,
        False,
        """ascending|asc|from lowest to highest|lowest first|smallest first|oldest first
        |alphabetically|in alphabetical order|from a to z""",
    ),
    (
        Cue.PATTERN,
        Operator.STARTS_WITH,
        "starting with|starts with|beginning with|begins with|start with",
    ),
    (Cue.PATTERN, Operator.ENDS_WITH, "ending with|ends with|ending in|ends in"),
    (Cue.PATTERN, Operator.CONTAINS, "containing|contains|contain|that contain|includes the word"),
    (Cue.AND, None, "and|but|as well as|&|along with|together with|plus|and also"),
    (Cue.OR, None, "or|either"),
    (Cue.BOTH, None, "both"),
    (Cue.TO, None, "to"),
    (
        Cue.PREPOSITION,
        None,
        """in|for|from|at|on|during|within|among|inside|through|via|into|towards|about
        |placed by|made by|bought by|purchased by|generated by|submitted by|opened by""",
    ),
    (Cue.OF, None, "of|of the|of our"),
    (
        Cue.WITH,
        None,
        "with|having|who have|that have|which have|whose|with a|with an|with the|has|have|had",
    ),
    (
        Cue.THAT,
        None,
        "that|who|which are|that are|who are|which were|that were|who were|where",
    ),
    (Cue.IS, None, "is|are|was|were|be|been|equals to|is the|are the|was the|were the|being"),
    (Cue.GRAIN, Grain.DAY, "day|days"),
    (Cue.PERIODIC, Grain.DAY, "daily|day by day|day to day"),
    (Cue.GRAIN, Grain.WEEK, "week|weeks"),
    (Cue.PERIODIC, Grain.WEEK, "weekly|week by week|week to week"),
    (Cue.GRAIN, Grain.MONTH, "month|months"),
    (Cue.PERIODIC, Grain.MONTH, "monthly|month by month|month to month"),
    (Cue.GRAIN, Grain.QUARTER, "quarter|quarters"),
    (Cue.PERIODIC, Grain.QUARTER, "quarterly|quarter by quarter|quarter to quarter"),
    (Cue.GRAIN, Grain.YEAR, "year|years"),
    (Cue.PERIODIC, Grain.YEAR, "yearly|annual|annually|year by year"),
    (Cue.OVER_TIME, None, "over time|trend|trend of|the trend of|time series|time series of"),
    (Cue.MARK, None, ",|;|-|–"),
    (
        Cue.FILLER,
        None,
        """the|a|an|our|we|us|you|i|me|my|did|do|does|there|please|can|could|would|any|all|it|its
        |their|they|them|this company|so|?|.|!|so far|in our data|in the data|of all|of all time|
        |all time|ever|give|see|want|like to know|know|i want to know|let me know|have we|
        |do we have|we have|there are|are there|is there|there were|were there|that we have|
        |each of|then|also|just|only the|hi|hello|thanks|thank you|kindly|what's|whats|
        |come|comes|came|coming|go|goes|went|going|make|makes|made|making|get|gets|got|getting|
        |happen|happened|occur|occurred|exist|exists|generate|generated|bring in|brought in|
        |live|lives|living|located|based|situated|carry
        |look like|looks like|looked like|record|recorded|place|placed|performed|take place|took
        place""",
    ),
)
PHRASES.pop("", None)
LONGEST = max(len(text.split()) for text in PHRASES)

# Verbs that ask to change data. At the head of a question they are a request to write, whatever
# follows.
WRITE_VERBS = frozenset(
    (
        "delete remove drop update insert truncate alter create set change modify overwrite erase "
        "purge rename replace grant revoke merge cancel add edit reset wipe clear destroy fix"
    ).split()
)

# Questions that no query over the past answers, with the reason to give.
UNANSWERABLE: dict[str, str] = {
    "why": "why something happened cannot be read off the data; ask for a breakdown instead",
    "how come": "why something happened cannot be read off the data; ask for a breakdown instead",
    "forecast": "there is no forecast in this project",
    "predict": "there is no forecast in this project",
    "prediction": "there is no forecast in this project",
    "will": "there is no forecast in this project",
    "tomorrow": "there is no forecast in this project",
    "next year": "there is no forecast in this project",
    "next month": "there is no forecast in this project",
    "next quarter": "there is no forecast in this project",
    "next week": "there is no forecast in this project",
    "what if": "what-if questions cannot be read off the data",
    "should": "what should be done cannot be read off the data",
}
