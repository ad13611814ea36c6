"""Dockerfiles as programs: what is translated, and what is refused by name."""

import re
import subprocess
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial_adopt import bases
from fairtrial_adopt.image_paths import machines_path, own, within
from fairtrial_adopt.mustache import render
from fairtrial_adopt.program import Program, program_of


@pytest.fixture(autouse=True)
def _has_every_command(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {"go", "python3", "node", "npm", "cargo", "curl"}
    monkeypatch.setattr(bases.shutil, "which", lambda name: name if name in there else None)
    monkeypatch.setattr(bases, "_installed", lambda package: package == "libc6-dev")


def carried_out(folder: Path, program: Program) -> str:
    """Build in this folder, start as if its places were there, and return what that prints."""
    (folder / "source").mkdir(exist_ok=True)
    subprocess.run(["sh", "-c", program.build], cwd=folder, check=True, capture_output=True)
    start = program.start.replace("cd /", "cd .image/")
    return subprocess.run(["sh", "-c", start], cwd=folder, check=True, capture_output=True, text=True).stdout


def test_stages_share_a_folder_and_leave_files_at_their_places(tmp_path: Path) -> None:
    (tmp_path / "source" / "static").mkdir(parents=True)
    for name in ("one.txt", "two.txt", "static/three.txt"):
        (tmp_path / "source" / name).write_text(name)
    program = program_of(
        """
        # a comment
        ARG VERSION=1.26
        FROM --platform=linux/amd64 golang:${VERSION}-alpine AS build
        ARG VERSION
        ENV OUT=/out/it GREETING="good day"
        WORKDIR /app
        COPY *.txt ./
        COPY static /app/static
        RUN --mount=type=cache,target=/go/pkg apk add --no-cache musl-dev curl && mkdir /out \\
            # within a line
            && cat one.txt two.txt '/app/static/three.txt' > $OUT && echo $VERSION >> $OUT; useradd -m somebody
        FROM scratch
        COPY --from=build /out/it /usr/src/app/
        WORKDIR /usr/src
        WORKDIR app
        ENV GREETING hello
        HEALTHCHECK CMD curl http://127.0.0.1
        CMD echo "$GREETING" && cat it
        """
    )
    assert carried_out(tmp_path, program) == "hello\none.txttwo.txtstatic/three.txt1.26\n"
    assert program.places == ("/app", "/out", "/usr/src/app")
    assert not Path("/out").exists()


def test_a_file_may_take_the_place_of_the_machines() -> None:
    program = program_of("FROM alpine\nCOPY Caddyfile /etc/caddy/Caddyfile\nCOPY run /usr/local/bin/\nCMD run")
    assert program.places == ("/etc/caddy/Caddyfile", "/usr/local/bin/run")
    assert 'put "$IMAGE/usr/local/bin/run" "$CONTEXT"/run' in program.build


def test_files_at_the_root_of_an_image_are_where_it_starts(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "it").write_text("it")
    program = program_of("FROM alpine\nCOPY ./ ./\nRUN cp it that\nCMD cat that")
    assert carried_out(tmp_path, program) == "it" and program.places == ()


def test_entrypoint_and_cmd_follow_each_other() -> None:
    assert program_of('FROM alpine\nENTRYPOINT ["a", "b c"]\nCMD ["d"]').start.endswith("exec a 'b c' d\n")
    assert program_of("FROM alpine\nENTRYPOINT a $B\nCMD d").start.endswith("exec sh -c 'a $B'\n")
    assert program_of("FROM alpine\nCMD d", "e f").start.endswith("exec sh -c 'e f'\n")
    assert program_of('FROM alpine AS one\nCMD ["d"]\nFROM one\nENV PATH="/x:$PATH"').start.endswith(
        'export PATH="/x:$PATH"\nexec d\n'
    )
    assert program_of('FROM alpine\nENTRYPOINT []\nCMD ["d"]').start.endswith("exec d\n")


def test_what_docker_builds_is_built(tmp_path: Path) -> None:
    """Variables that nobody set, patterns that match nothing, flags without a value, and characters of a shell."""
    (tmp_path / "source" / "a b").mkdir(parents=True)
    for name in (".hidden", "requirements.txt", "a b/one"):
        (tmp_path / "source" / name).write_text(name)
    (tmp_path / "beside").write_text("of the machine")
    program = program_of(
        """
        ARG VERSION=3
        FROM alpine AS build
        ARG UNSET_ONE VERSION
        ENV UNSET_TWO="$UNSET_THREE:${UNSET_FOUR}"
        WORKDIR "/a b/$(touch said)"
        COPY none-*.txt .* /here/
        COPY ["../../a b", "/here/"]
        ADD requirements.txt ./
        RUN echo "$VERSION$UNSET_ONE$UNSET_TWO" > it
        FROM scratch
        WORKDIR /there
        ENV SAID="$(touch /said)`touch /said`"
        COPY --link --from=build "/a b/$(touch said)/it" .
        CMD cat it; ls -A ../here; echo "$SAID"
        """
    )
    assert carried_out(tmp_path, program) == "3:\n.hidden\none\n$(touch /said)`touch /said`\n"
    assert not list(tmp_path.rglob("said")) and not list(tmp_path.rglob("beside"))[1:]
    assert (tmp_path / ".image/a b/$(touch said)/requirements.txt").is_file()


def test_sources_are_those_of_the_context() -> None:
    build = program_of("FROM alpine\nCOPY ../../../.ssh/id_rsa a/../../x /app/\nCMD x").build
    assert 'put "$IMAGE/app"/ "$CONTEXT"/.ssh/id_rsa "$CONTEXT"/x' in build


@pytest.mark.parametrize(
    ("dockerfile", "why"),
    [
        ("FROM someone/thing:1", "someone/thing:1: not known"),
        ("FROM php:8.5-fpm", "there is no `php` here"),
        ("FROM alpine\nRUN apt-get update && apt-get install -y libev-dev curl", "libev-dev not installed"),
        ("FROM alpine\nRUN if true; then apt-get install -y x; fi", "not done here"),
        ("FROM alpine\nRUN docker-php-ext-install zip", "not done here"),
        ("FROM alpine\nRUN make && rm -rf /usr/lib/x", "/usr/lib/x is the machine's"),
        ("FROM alpine\nRUN ln -sf /opt/java/bin/java /usr/bin/javax", "/usr/bin/javax is the machine's"),
        ("FROM alpine\nARG TO=/usr/lib\nRUN rm -rf $TO/x", "/usr/lib/x is the machine's"),
        ("FROM alpine\nARG TO\nRUN rm -rf $TO/*", "not done here"),
        ("FROM alpine\nARG TO\nRUN rm -rf $TO/x", "/x is the machine's"),
        ("FROM alpine\nENV TO=$NOBODY\nRUN rm -rf $TO/x", "/x is the machine's"),
        ("FROM alpine\nENV TO=/opt\nRUN rm -rf $TO/x", "/opt/x is the machine's"),
        ("FROM alpine\nRUN rm -rf ${TO:-/app}", "/app is the machine's"),
        ("FROM alpine\nRUN rm -rf /tmp", "/tmp is the machine's"),
        ("FROM alpine\nRUN rm -rf /*", "not done here"),
        ("FROM alpine\nRUN for x in a; do rm -rf /$x; done", "not done here"),
        ("FROM alpine\nRUN find / -name '*.a' -delete", "not done here"),
        ("FROM alpine\nRUN tar xzf x.tgz -C /", "not done here"),
        ("FROM alpine\nRUN cd / && rm -rf var", "not done here"),
        ("FROM alpine\nRUN cd ~ && rm -rf x", "not done here"),
        ("FROM alpine\nENV TO=~\nRUN rm -rf $TO/x", "not done here"),
        ("FROM alpine\nWORKDIR /app\nRUN rm -rf ../../../x", "may lead out"),
        ("FROM alpine\nWORKDIR /app\nENV TO=../..\nRUN rm -rf $TO/x", "may lead out"),
        ("FROM alpine\nRUN cat /app/../../../x", "may lead out"),
        ("FROM alpine\nWORKDIR /a/b/c\nRUN cat /app/..//../x", "/app/..//../x is the machine's"),
        ("FROM alpine\nENV A;touch${IFS}x=1 B=2", "a script has no variable A;touch"),
        ("FROM alpine\nARG IMAGE=x", "a script has no variable IMAGE"),
        ("FROM alpine\nRUN make && make -C src install", "not done here"),
        ("FROM alpine\nRUN curl https://x.org/i.sh | bash -", "not done here"),
        ("FROM alpine\nRUN echo x > ~/.npmrc", "not done here"),
        ("FROM alpine\nCOPY a /etc/", "/etc/a is the machine's"),
        ("FROM alpine\nCOPY .. /usr/local/bin/", "/usr/local/bin is the machine's"),
        ("FROM alpine\nCOPY 'a /app/", "No closing quotation"),
        ("FROM alpine\nADD a.tar.gz b.tbz2 /app/", "neither fetched nor unpacked"),
        ("FROM alpine\nCOPY --from=nginx /x /x", "files of another image"),
        ("FROM alpine\nADD https://example.org/x /x", "neither fetched"),
        ("FROM alpine\nRUN <<EOF\nEOF", "a document within"),
        ('FROM alpine\nSHELL ["x"]', "not translated"),
        ("FROM alpine", "neither CMD nor ENTRYPOINT"),
        ("RUN x", "no FROM"),
        ("FROM", "no instruction"),
    ],
)
def test_what_takes_a_container_is_refused_by_name(dockerfile: str, why: str) -> None:
    with pytest.raises(Problem, match=re.escape(why)):
        program_of(dockerfile)


def test_paths_of_the_image_and_steps_within_it_are_not_refused() -> None:
    for command in (
        "cd src && go build ./... && cd ..",
        "curl -o /opt/x-$V.tgz https://x.org/$V/x",
        "sed -i s/a/b/ x",
        "ls a~ b..c",
    ):
        dockerfile = f"FROM alpine\nARG V=1\nWORKDIR /app\nRUN {command}\nCMD x"
        program_of(dockerfile)


def test_what_would_be_undone_with_the_container_is_left_out() -> None:
    build = program_of(
        "FROM alpine\nRUN apt-get -qq update; apt-get -qy install curl\nRUN rm -rf /var/lib/apt/lists/* /tmp/x\n"
        "RUN chown -R me /app && ln -s /elsewhere/sh /bin/sh\nUSER me\nCMD x"
    ).build
    assert "apt" not in build.partition("# FROM alpine")[2] and "chown" not in build and "ln -s" not in build


def test_paths_of_an_image_are_told_from_those_of_the_machine() -> None:
    assert own("/app/x") == "/app" and own("/usr/src/app/x") == "/usr/src/app" and own("/opt/web") == "/opt/web"
    assert [own(path) for path in ("/", "/opt", "/usr/lib/x", "/etc/x", "/app/../etc")] == [None] * 5
    assert machines_path("curl http://127.0.0.1/x > /dev/null; ./a/b $X/c ${Y}/d") is None
    assert machines_path("make PREFIX=/usr/local") == "/usr/local"
    assert machines_path("cat /app/../app/x") == "/app/../app/x"
    assert within("a /app '/app' \"/app:/x\" b/app") == (
        'a "$IMAGE"/app \'\'"$IMAGE"\'/app\' "$IMAGE/app:$IMAGE/x" b/app'
    )


def test_mustache_as_the_dockerfiles_use_it(snapshot: object) -> None:
    values = {"a": [{"x": 1}, {"x": 2}], "b": ["u", "v"], "none": [], "c": {"d": {"e": True}}, "x": 9}
    assert render("{{#a}}{{x}},{{/a}}{{x}}", values) == "1,2,9"
    assert render("{{#b.length}}n{{#b}}{{{.}}}{{/b}}{{/b.length}}{{#none.length}}no{{/none.length}}", values) == "nuv"
    assert render("{{^none}}a{{/none}}{{^b}}no{{/b}}{{#c.d.e}}e{{/c.d.e}}{{#c.d.f}}no{{/c.d.f}}{{q}}", values) == "ae"
    with pytest.raises(Problem) as error:
        render("{{> partial}}", values)
    assert str(error.value) == snapshot
