"""TOML files into models, with errors that name the file, the key, what was found and what is allowed."""

import difflib
import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from fairtrial.base.problem import Problem

Model = TypeVar("Model", bound=BaseModel)
LARGEST_FILE_BYTES = 1 << 20


def read_toml(path: Path, model: type[Model], **known: Any) -> Model:
    """The file as a `model`; `known` are keys that do not come from the file.

    Raises:
        Problem: the file cannot be read, is not TOML, or does not fit the model.
    """
    try:
        if path.stat().st_size > LARGEST_FILE_BYTES:
            raise Problem(f"{path}: larger than {LARGEST_FILE_BYTES} bytes", "is it the right file?")
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Problem(f"{path}: cannot be read: {error.strerror}", "check the path and its permissions") from error
    except UnicodeDecodeError as error:
        raise Problem(f"{path}: not UTF-8 text", "TOML files are UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise Problem(f"{path}: not valid TOML: {error}", "mend the line it names") from error
    if overlap := known.keys() & table.keys():
        raise Problem(f"{path}: {', '.join(sorted(overlap))}: not to be set here", "remove the key")
    try:
        return model.model_validate(known | table)
    except ValidationError as error:
        complaints = [_complaint(path, model, dict(fault)) for fault in error.errors()]
        raise Problem("\n".join(complaints), "see docs/experiments.md or docs/stack-contract.md") from error


def _complaint(path: Path, model: type[BaseModel], fault: dict[str, Any]) -> str:
    location = fault["loc"]
    key = ".".join(f"[{part}]" if isinstance(part, int) else str(part) for part in location).replace(".[", "[")
    where = f"{path}: {key}" if key else f"{path}"
    message = str(fault["msg"]).removeprefix("Value error, ")
    if fault["type"] == "extra_forbidden":
        allowed = _keys_at(model, location[:-1])
        close = difflib.get_close_matches(str(location[-1]), allowed, n=1)
        meant = f" (did you mean {close[0]}?)" if close else ""
        return f"{where}: unknown key{meant}; allowed here: {', '.join(allowed)}"
    if fault["type"] == "missing":
        return f"{where}: missing; it must be set"
    found = fault["input"]
    shown = f"; found {found!r:.80}" if isinstance(found, str | int | float | bool) else ""
    return f"{where}: {message}{shown}"


def _keys_at(model: type[BaseModel], location: tuple[Any, ...]) -> list[str]:
    """The keys that are allowed at `location`, found by walking the model's annotations."""
    current: Any = model
    for part in location:
        if isinstance(part, int):
            continue
        field = current.model_fields.get(part)
        if field is None:
            continue  # a dict's own key or a union's tag
        current = _model_in(field.annotation) or current
    return sorted(current.model_fields)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        if found := _model_in(argument):
            return found
    return None
