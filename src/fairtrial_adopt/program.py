"""A Dockerfile as two scripts: one that builds what its image would hold, below a folder that stands for the image's
root, and one that starts its command. It refuses by name what cannot be done without a container.

All stages share that folder. Files that the machine would lose are never written: a command that names a path of the
machine is refused, and of package managers it is only looked whether the packages are there.
"""

import posixpath
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial_adopt.bases import commands_of, java_home, missing_packages
from fairtrial_adopt.dockerfile import VARIABLE, Instruction, Stage, expanded, flags_of, stages_of, unquoted, words_of
from fairtrial_adopt.image_paths import FOLDER, NOT_SEEN, machines_path, own, own_paths, within

SEPARATOR = re.compile(r"(\s*(?:&&|\|\||;)\s*)")
ASSIGNMENT = re.compile(r"^(?:[A-Za-z_]\w*=\S*\s+)+")
INSTALLS = re.compile(r"(?:sudo\s+)?(apt-get|apt|apk)\b(.*)", re.DOTALL)
OTHER_MANAGERS = re.compile(
    r"(?:yum|dnf|microdnf|zypper|pacman|dpkg|snap|add-apt-repository|docker-php-\S+|pecl|luarocks|opam|rustup|corepack"
    r"|update-alternatives|systemctl|service|sysctl|mount|locale-gen)\b"
)
FOR_THE_MACHINE = re.compile(
    r"\b(?:make|gmake|ninja|meson|cmake)\b[^;&|]*\s(?:--)?install\b|[^|]\|\s*(?:sudo\s+)?(?:ba|da|z)?sh\b|\bsudo\b"
    r"|\$\{?HOME\b|~/|(?:^|[\s='\":;(])~(?=[/\s;&|)'\"]|$)|(?<![\w./~$}\\*-])/(?=[\s*?;&|)'\"$`{\[]|$)"
)
"""What writes where no path of the command says so: into /usr/local, the home of who builds, the root, or anywhere."""
UP = re.compile(r"(?<![\w.])\.\.(?![\w.])")
"""The folder above, in a path."""
NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
"""What a shell takes for the name of a variable."""
OF_THE_SCRIPT = frozenset({"IMAGE", "CONTEXT"})
"""Variables by which build.sh finds its folders."""
VARIABLE_IN_SHELL = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
"""A variable whose value a shell asks for."""
HIDDEN_MANAGER = re.compile(r"\b(?:apt-get|apt|apk)\s+(?:-\S+\s+)*(?:install|add|update|upgrade|del|remove|purge)\b")
"""Within a condition or another command, where it would be carried out."""
OF_THE_MACHINE = re.compile(
    r"(?:useradd|adduser|groupadd|addgroup|usermod|chown|chgrp|ldconfig|update-ca-certificates)\b"
    r"|rm\s+-\w+\s+(?:/var/lib/apt/lists\S*|/var/cache/\S*)(?:\s+/\S+)*\s*$"
)
"""Commands about users and caches of a container, which a program here has none of: they are left out."""
LINK = re.compile(r"ln\s+-\w+\s+\S+\s+(/\S+)\s*")
ARCHIVE = re.compile(r"\.(?:tar(?:\.\w+)?|t[gbx]z2?)$")
"""What ADD unpacks."""
PLAIN = frozenset({"LABEL", "MAINTAINER", "EXPOSE", "STOPSIGNAL", "VOLUME", "HEALTHCHECK", "USER"})
"""Instructions that change no file: whose processes they are, the lab says."""

PUT = """put() { # put TO FROM...
    to=$1; shift
    for from in "$@"; do
        case $from in */.|*/..) continue;; esac # which the pattern `.*` matches
        [ -e "$from" ] || case $from in *[*?[]*) continue;; esac # a pattern that matches nothing
        if [ -d "$from" ]; then mkdir -p "$to"; cp -a "$from/." "$to/"
        elif [ "${to%/}" = "$to" ] && [ ! -d "$to" ]; then mkdir -p "${to%/*}"; cp -a "$from" "$to"
        else mkdir -p "$to"; cp -a "$from" "$to/"; fi
    done
}"""
BESIDE = """if [ "$USER" = stack ]; then # its files are read-only here: it may write beside them
    beside=$(mktemp -d)
    for file in "$PWD"/* "$PWD"/.[!.]*; do [ ! -e "$file" ] || ln -s "$file" "$beside"; done
    cd "$beside"
fi"""
"""Where the program has a user and a temporary folder of its own (docs/stack-contract.md), removed after it."""
OF_LANGUAGES = (
    "for tool in python npm go cargo gems perl; do PATH=$IMAGE/$tool/bin:$PATH; done",
    'export PATH GEM_HOME="$IMAGE/gems" PERL5LIB="$IMAGE/perl/lib/perl5"',
    'export NPM_CONFIG_PREFIX="$IMAGE/npm" GOBIN="$IMAGE/go/bin" CARGO_INSTALL_ROOT="$IMAGE/cargo"',
    'export GIT_CONFIG_GLOBAL="$IMAGE/gitconfig" BUNDLE_USER_HOME="$IMAGE/bundle" PERL_CPANM_OPT="-l $IMAGE/perl"',
    "unset CARGO_BUILD_BUILD_DIR # it removes what cargo has built, and means what cargo looks at",
)
"""What is installed for a whole image comes into the folder that stands for it."""


@dataclass
class _State:
    """A stage, as far as its instructions have been carried out."""

    workdir: str = "/"
    environment: dict[str, str] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)
    entrypoint: list[str] | str = ""
    command: list[str] | str = ""

    @property
    def values(self) -> dict[str, str]:
        """The variables that RUN finds, by name."""
        return self.arguments | self.environment

    def expanded(self, text: str) -> str:
        return expanded(text, self.values)

    def blanked(self, text: str) -> str:
        """The text as a shell has it where values name variables that nothing sets."""
        return expanded(text, {name: VARIABLE.sub("", value) for name, value in self.values.items()})

    @property
    def depth(self) -> int:
        """How many folders above the working folder are the image's."""
        return len([part for part in self.workdir.split("/") if part])


@dataclass(frozen=True)
class Program:
    """An image as a program."""

    build: str
    """the script that builds it, in a folder that holds the sources as `source`"""
    start: str
    """the script that starts it there"""
    places: tuple[str, ...]
    """paths of the image that the program finds: they lie below `.image`"""


def program_of(dockerfile: str, command: str = "") -> Program:
    """The scripts that stand for a Dockerfile.

    Args:
        command: in place of its CMD.

    Raises:
        Problem: something of it takes a container, or is not on this machine.
    """
    return _Translation(stages_of(dockerfile)).program(command)


class _Translation:
    def __init__(self, stages: list[Stage]) -> None:
        self._stages = stages
        self._lines: list[str] = []
        self._states: dict[str, _State] = {}
        self._places: set[str] = set()
        self._has_python = False
        self._java: list[str] = []
        self._links: set[str] = set()
        self._at_root = False

    def program(self, command: str) -> Program:
        final = self._stages[-1]
        stages = self._stages_of(final)
        for number, stage in enumerate(self._stages):
            if stage in stages:
                self._states[stage.name] = self._states[str(number)] = self._carried_out(stage)
        start = self._start(self._states[final.name], command)
        places = tuple(sorted(place for place in self._places if not place.startswith(NOT_SEEN)))
        quoted = [_for_shell(f"{FOLDER}{place}") for place in places]
        folders = [f"[ -e {place} ] || mkdir -p {place}" for place in quoted]
        head = ["# Its Dockerfile, without a container.", "set -eu", "IMAGE=$PWD/.image", "CONTEXT=$PWD/source"]
        lines = [*head, 'mkdir -p "$IMAGE"', *OF_LANGUAGES, PUT, *self._lines, *folders]
        return Program("\n".join(lines) + "\n", start, places)

    def _stages_of(self, stage: Stage) -> list[Stage]:
        """A stage, and those that it is made of."""
        names = [stage.image, *(flags_of(each.text)[0].get("from", "") for each in stage.instructions)]
        return [
            stage,
            *(each for name in names if (other := self._stage(name, stage)) for each in self._stages_of(other)),
        ]

    def _stage(self, name: str, before: Stage) -> Stage | None:
        earlier = self._stages[: self._stages.index(before)]
        by_name = {str(number): each for number, each in enumerate(earlier)} | {each.name: each for each in earlier}
        return by_name.get(name.lower())

    def _carried_out(self, stage: Stage) -> _State:
        self._lines += ["", f"# FROM {stage.image}"]
        base = self._stage(stage.image, stage)
        if base is None:
            state = _State()
            commands = commands_of(stage.image)
            if "python3" in commands and not self._has_python:
                self._has_python = True
                self._lines.append('python3 -m venv "$IMAGE/python"')
            if "java" in commands:
                home = java_home(stage.image)
                self._java = [f'export JAVA_HOME={home} PATH="{home}/bin:$PATH"'] if home else []
                self._lines += self._java
        else:
            before = self._states[base.name]
            state = replace(before, environment=dict(before.environment), arguments={})
        for instruction in stage.instructions:
            self._carry_out(instruction, state, stage)
        return state

    def _carry_out(self, instruction: Instruction, state: _State, stage: Stage) -> None:
        text = instruction.text
        match instruction.name:
            case "WORKDIR":
                state.workdir = posixpath.normpath(posixpath.join(state.workdir, unquoted(state.expanded(text))))
                self._places |= own_paths(state.workdir)  # none of a folder that machines have, such as /usr/src
                self._lines.append(f"mkdir -p {_for_shell(f'{FOLDER}{state.workdir}')}")
            case "ENV":
                for name, value in _pairs(text, instruction):
                    state.environment[name] = state.expanded(value)
                    self._export(name, state.environment[name], instruction)
            case "ARG":
                name, _, value = text.partition("=")
                name = name.strip()
                state.arguments.setdefault(name, state.expanded(unquoted(value)))
                self._export(name, state.arguments[name] if value else f"${name}", instruction)
            case "COPY" | "ADD":
                self._copy(instruction, state, stage)
            case "RUN":
                self._run(instruction, state)
            case "ENTRYPOINT":
                state.entrypoint, state.command = _words_or_text(text), ""
            case "CMD":
                state.command = _words_or_text(text)
            case name if name not in PLAIN:
                raise Problem(f"{instruction}: not translated", "adopt it as a container: --as container")

    def _export(self, name: str, value: str, instruction: Instruction) -> None:
        if NAME.fullmatch(name) is None or name in OF_THE_SCRIPT:
            raise Problem(
                f"{_short(instruction)}: a script has no variable {name}", "adopt it as a container: --as container"
            )
        self._lines.append(f"export {name}={_for_shell(value, moved=True)}")

    def _at(self, path: str, instruction: Instruction, *, is_file: bool = False) -> str:
        """A path of the image in a script.

        Args:
            is_file: it is that of one file, which alone takes the place of the machine's.

        Raises:
            Problem: it is the machine's.
        """
        place = own(path) or (path if is_file and path.count("/") > 2 else None)
        if place is None:
            raise Problem(f"{_short(instruction)}: {path} is the machine's", "adopt it as a container: --as container")
        self._places.add(place)
        return _for_shell(f"{FOLDER}{path}")

    def _copy(self, instruction: Instruction, state: _State, stage: Stage) -> None:
        flags, text = flags_of(state.expanded(instruction.text))
        *sources, target = words_of(text) or _split(text, instruction)
        if any("://" in each or (instruction.name == "ADD" and ARCHIVE.search(each)) for each in sources):
            raise Problem(f"{_short(instruction)}: neither fetched nor unpacked here", "adopt it as a container")
        origin = "$CONTEXT"
        if "from" in flags:
            other = self._stage(flags["from"], stage)
            if other is None:
                raise Problem(f"{_short(instruction)}: files of another image", "adopt it as a container")
            origin = FOLDER
            workdir = self._states[other.name].workdir
            sources = [posixpath.normpath(posixpath.join(workdir, each)) for each in sources]
            for each in sources:
                self._at(each, instruction)
        is_folder = target.endswith(("/", ".")) or len(sources) > 1
        path = posixpath.normpath(posixpath.join(state.workdir, target))
        is_one = len(sources) == 1 and not re.search(r"[*?\[]|/$|(?:^|/)\.\.?$", sources[0])
        if own(path) is None and is_one and is_folder:
            path, is_folder = posixpath.join(path, posixpath.basename(sources[0])), False
        is_file = not is_folder and len(sources) == 1
        self._at_root |= path == "/"
        at = f'"{FOLDER}/"' if path == "/" else self._at(path, instruction, is_file=is_file)
        where = f"{at}{'/' if is_folder else ''}"
        in_quotes = [f'"{origin}"/{_globbed(posixpath.normpath(f"/{each}").lstrip("/"))}' for each in sources]
        if not (origin == FOLDER and sources == [path]):
            self._lines.append(f"put {where} {' '.join(in_quotes)}")

    def _run(self, instruction: Instruction, state: _State) -> None:
        text = re.sub(r"^(?:--(?:mount|network|security)=\S+\s+)+", "", instruction.text)
        words = words_of(text)
        parts = SEPARATOR.split(shlex.join(words) if words else text)
        commands = "".join(
            part if number % 2 else self._without_links(part, instruction) for number, part in enumerate(parts)
        )
        if re.fullmatch(r"(?:true|[\s;&|])*", commands):
            return
        why_not = _why_not(commands, state)
        if why_not:
            raise Problem(f"{_short(instruction)}: {why_not}", "adopt it as a container: --as container")
        self._places.update(own_paths(commands))
        folder = FOLDER if state.workdir == "/" else f"{FOLDER}{state.workdir}"
        self._lines.append(f"(cd {_for_shell(folder)}; {within(commands)}\n)")

    def _without_links(self, part: str, instruction: Instruction) -> str:
        """A command of a RUN; `true` in place of one that links a name that this machine has already."""
        link = LINK.fullmatch(part.strip())
        if link is not None and own(link[1]) is None and Path(link[1]).exists():
            self._links.add(link[1])
            return "true"
        return _without_packages(part, instruction)

    def _start(self, state: _State, command: str) -> str:
        to_run = command or state.command
        if not to_run and not state.entrypoint:
            raise Problem("its Dockerfile has neither CMD nor ENTRYPOINT", "adopt it as a container: --as container")
        if isinstance(state.entrypoint, str) and state.entrypoint:
            line = _by_shell(state.entrypoint)  # which takes no CMD
        elif isinstance(to_run, str):
            line = _by_shell(" ".join([shlex.join(state.entrypoint), to_run]).strip())
        else:
            line = f"exec {shlex.join([*state.entrypoint, *to_run])}"
        for link in self._links:  # the program of that name which the image means
            line = line.replace(link, posixpath.basename(link))
        exports = [f"export {name}={_for_shell(value)}" for name, value in state.environment.items()]
        at_root = ['cd "$IMAGE"'] if self._at_root else []
        folder = at_root if state.workdir == "/" else [f"cd {shlex.quote(state.workdir)}", BESIDE]
        head = ["# The command of its Dockerfile.", "IMAGE=$PWD/.image", *OF_LANGUAGES[:2], *self._java]
        return "\n".join([*head, *exports, *folder, line]) + "\n"


def _why_not(command: str, state: _State) -> str:
    """Why a command of a RUN is not carried out: what of the machine it may touch. Empty: nothing."""
    texts = [command, state.expanded(command), state.blanked(command)]
    if any(each.search(text) for each in (HIDDEN_MANAGER, FOR_THE_MACHINE) for text in texts):
        return "not done here"
    if any(len(UP.findall(text)) > state.depth for text in texts):
        return "may lead out of the image"
    path = next(filter(None, map(machines_path, texts[1:])), None) or _not_moved(command, texts[1:], state)
    return f"{path} is the machine's" if path else ""


def _not_moved(command: str, texts: Sequence[str], state: _State) -> str | None:
    """A path of the image that a command puts together of pieces none of which is one: it would be the machine's."""
    moved = own_paths(command).union(*map(own_paths, state.values.values()))
    of_image = sorted(place for text in texts for place in own_paths(text))
    return next((path for path in of_image if not path.startswith(tuple(moved))), None)


def _split(text: str, instruction: Instruction) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise Problem(f"{_short(instruction)}: {error}", "correct it") from error


def _without_packages(part: str, instruction: Instruction) -> str:
    """A command of a RUN; `true` in place of one that looks after packages, users or caches of a container.

    Raises:
        Problem: it installs a package that this machine lacks, or in a way that it has not.
    """
    plain = ASSIGNMENT.sub("", part.strip())
    if OTHER_MANAGERS.match(plain):
        raise Problem(f"{_short(instruction)}: not done here", "adopt it as a container: --as container")
    if OF_THE_MACHINE.match(plain):
        return "true"
    match = INSTALLS.match(plain)
    if match is None:
        return part
    words = match[2].partition(">")[0].split()
    verbs = [word for word in words if not word.startswith("-")]
    if verbs[:1] == ["install"] or verbs[:1] == ["add"]:
        absent = missing_packages([word for word in verbs[1:] if not word.startswith("$")])
        if absent:
            raise Problem(
                f"{match[1]} {verbs[0]}: {', '.join(absent)} not installed here",
                "install it, or adopt it as a container",
            )
    return "true"


def _pairs(text: str, instruction: Instruction) -> list[tuple[str, str]]:
    """The variables of an ENV, in either of its forms."""
    if re.match(r"\w+=", text) is None:
        name, _, value = text.partition(" ")
        return [(name, unquoted(value))]
    return [(name, value) for name, _, value in (word.partition("=") for word in _split(text, instruction))]


def _words_or_text(text: str) -> list[str] | str:
    words = words_of(text)
    return text if words is None else words


def _for_shell(value: str, *, moved: bool = False) -> str:
    """A value in double quotes, in which the shell still replaces variables.

    Args:
        moved: with the image's own paths, and nothing for a variable that nobody set.
    """
    quoted = re.sub(r'(["`\\]|\$(?=\())', r"\\\1", value)
    with_values = VARIABLE_IN_SHELL.sub(lambda match: f"${{{match[1] or match[2]}-}}", quoted)
    return within(f'"{with_values}"') if moved else f'"{quoted}"'


def _globbed(path: str) -> str:
    """A path in a script whose patterns the shell replaces by names; the folder itself is empty."""
    return re.sub(r"[^\w./*?\[\]@%+=,:-]", lambda match: f"\\{match[0]}", path)


def _by_shell(command: str) -> str:
    return f"exec sh -c {shlex.quote(command)}"


def _short(instruction: Instruction) -> str:
    text = str(instruction)
    return text if len(text) <= 100 else f"{text[:99]}…"
