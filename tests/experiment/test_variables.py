"""Names of environment variables that a file sets."""

import pytest
from pydantic import TypeAdapter, ValidationError

from fairtrial.experiment.variables import StartCommand, Variables, VariablesOfAll

ADAPTER: TypeAdapter[dict[str, str]] = TypeAdapter(Variables)


@pytest.mark.parametrize("name", ["A=B", "=", ""])
def test_a_name_that_no_environment_can_hold_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="no name of a variable"):
        ADAPTER.validate_python({name: "x"})


@pytest.mark.parametrize("name", ["HOST", "PORT"])
@pytest.mark.parametrize("of", [Variables, VariablesOfAll])
def test_where_to_listen_is_not_for_a_file_to_say(of: object, name: str, snapshot: object) -> None:
    with pytest.raises(ValidationError) as error:
        TypeAdapter(of).validate_python({name: "8080"})
    assert [each["msg"] for each in error.value.errors()] == snapshot
    assert TypeAdapter(of).validate_python({f"ADMIN_{name}": "8080"}) == {f"ADMIN_{name}": "8080"}


def test_any_other_name_and_value_is_taken() -> None:
    variables = {"A": "B=C", "spring.profiles.active": "", "ümlaut": "x y"}
    assert ADAPTER.validate_python(variables) == variables


@pytest.mark.parametrize(
    "words", [["server", "$PORT"], ["server", "--at=${HOST}:{{port}}"], ["x", "-d", "$DATABASE_URL"]]
)
def test_a_command_that_only_a_shell_would_fill_in_is_refused(words: list[str], snapshot: object) -> None:
    with pytest.raises(ValidationError) as error:
        TypeAdapter(StartCommand).validate_python(words)
    assert [each["msg"] for each in error.value.errors()] == snapshot


@pytest.mark.parametrize(
    "words", [["sh", "-c", "exec server $PORT"], ["server", "$PORTAL", "PORT", "{ports}", "costs $5"], ["server"]]
)
def test_a_command_that_a_shell_reads_or_that_names_no_variable_is_taken(words: list[str]) -> None:
    assert TypeAdapter(StartCommand).validate_python(words) == words
