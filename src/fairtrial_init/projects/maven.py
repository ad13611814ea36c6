"""Maven: the jar of a project with a pom.xml."""

from fairtrial_init.java_server import java_proposal
from fairtrial_init.project_folder import ProjectFolder
from fairtrial_init.projects.model import A_LANGUAGE, Project
from fairtrial_init.proposal import StartProposal


def propose(folder: ProjectFolder) -> StartProposal | None:
    """`mvn package` without tests, by the project's own wrapper if it has one."""
    if not folder.has("pom.xml"):
        return None
    maven = "./mvnw" if folder.has("mvnw") else "mvn"
    build = (maven, "--quiet", "--batch-mode", "-DskipTests", "package")
    return java_proposal(
        folder, folder.text("pom.xml"), build, jars="target/*.jar", quarkus="target/quarkus-app/quarkus-run.jar"
    )


PROJECT = Project("maven", A_LANGUAGE, propose)
