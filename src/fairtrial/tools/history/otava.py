"""The configuration by which Apache Otava reads a history: https://otava.apache.org/docs/import-csv/."""

from pathlib import Path

import yaml

from fairtrial.tools.history.table import RUN, TIME, History

UP_IS_BETTER = 1
DOWN_IS_BETTER = -1


def otava_text(history: History, csv_file: Path) -> str:
    """A test with the experiment's name, over the file in which the history is.

    Columns with gaps are left out: Otava reads a number in each line.
    """
    metrics = {
        column.name: {
            "column": column.name,
            "direction": UP_IS_BETTER if column.metric.higher_is_better else DOWN_IS_BETTER,
            "scale": 1.0,
        }
        for column in history.columns
        if history.gaps(column) == 0
    }
    test = {
        "type": "csv",
        "file": str(csv_file),
        "time_column": TIME,
        "attributes": [RUN],
        "metrics": metrics,
        "csv_options": {"delimiter": ",", "quotechar": '"'},
    }
    return yaml.safe_dump({"tests": {history.experiment: test}}, sort_keys=False, allow_unicode=True, width=120)
