"""Gradle: the jar of a project with a build.gradle or a build.gradle.kts."""

from fairtrial_init.java_server import java_proposal
from fairtrial_init.project_folder import ProjectFolder
from fairtrial_init.projects.model import A_LANGUAGE, Project
from fairtrial_init.proposal import StartProposal


def propose(folder: ProjectFolder) -> StartProposal | None:
    """The task that makes one jar, by the project's own wrapper if it has one."""
    file = next((name for name in ("build.gradle", "build.gradle.kts") if folder.has(name)), None)
    if file is None:
        return None
    manifest = folder.text(file)
    gradle = "./gradlew" if folder.has("gradlew") else "gradle"
    task = "bootJar" if "springframework.boot" in manifest else "assemble"
    build = (gradle, "--quiet", "--no-daemon", task)
    return java_proposal(folder, manifest, build, jars="build/libs/*.jar", quarkus="build/quarkus-app/quarkus-run.jar")


PROJECT = Project("gradle", A_LANGUAGE, propose)
