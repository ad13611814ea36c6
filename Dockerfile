# Fairtrial with its load engine inside: `docker build --tag fairtrial .`, or the same with podman. It runs as a user
# without rights. The folder that it works in is /work:
#
#     docker run --rm --network host fairtrial load http://127.0.0.1:8080/items
#     docker run --rm --volume "$PWD:/work" --volume fairtrial:/var/cache/fairtrial fairtrial ab-test
#
# If the mounted folder is not of user 1000: --user "$(id -u):$(id -g)", or with podman --userns keep-id.
#
# Processors: give it whole ones by --cpuset-cpus 0-3, which it divides between the load and the rest, as on a machine.
# A share, as by --cpus 2, is a quota at which the kernel stops it: the check `throttled` refuses such trials.
#
# Databases, and what a service is built with (here are Python and git), are installed by root, into an image of yours:
#
#     FROM fairtrial
#     USER root
#     RUN fairtrial services install --yes postgresql
#     USER fairtrial
#
# The usual seccomp profile denies io_uring, in place of which the load engine takes epoll, and namespaces, without
# which no contender has `network = "own"`. --security-opt seccomp=unconfined allows both.

ARG RUST=docker.io/library/rust:1-slim-trixie
ARG BASE=docker.io/library/debian:trixie-slim

FROM ${RUST} AS built
RUN apt-get update && apt-get install --yes --no-install-recommends python3-venv
WORKDIR /source
COPY requirements.lock .
# pip is no part of what is installed.
RUN python3 -m venv /opt/pip \
    && python3 -m venv --without-pip /opt/fairtrial \
    && /opt/pip/bin/pip --python /opt/fairtrial/bin/python install --quiet --require-hashes \
        --requirement requirements.lock
COPY . .
RUN for program in fairtrial-engine:release fairtrial-guard:guard; do \
        cargo build --quiet --locked --manifest-path engine/Cargo.toml \
            --package "${program%:*}" --bin "${program%:*}" --profile "${program#*:}" \
        && install -D --target-directory programs "engine/target/${program#*:}/${program%:*}" || exit; \
    done \
    && python3 scripts/engine_contents.py "$(rustc --version --verbose | sed -n 's/^host: //p')" programs \
    && FAIRTRIAL_PROGRAMS=programs FAIRTRIAL_PLATFORM="linux_$(uname -m)" \
        /opt/pip/bin/pip --python /opt/fairtrial/bin/python install --quiet --no-deps .

FROM ${BASE}
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git python3-venv \
    && rm -rf /var/lib/apt/lists/* \
    && git config --system safe.directory /work \
    && useradd --uid 1000 --create-home fairtrial \
    && install --directory --mode 1777 /var/cache/fairtrial /work
COPY --from=built /opt/fairtrial /opt/fairtrial
RUN ln -s /opt/fairtrial/bin/fairtrial /usr/local/bin/
ENV FAIRTRIAL_CACHE=/var/cache/fairtrial
USER fairtrial
WORKDIR /work
ENTRYPOINT ["fairtrial"]
