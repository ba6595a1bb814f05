"""The documentation says what the program does.

Runs the commands of every ```console block in the README files and compares what they print. A command is a
line that begins with '$ '; its output follows, standard error behind standard output. Commands that install
or build stand in ```sh blocks, which are not run. The commands of one file run in one fresh folder, in which
samples/, boards/, templates/ and build/release/memsize are those of the source tree, and memsize is on the
PATH. A command that fails must be followed by '$ echo $?'.

Further: the first minute's commands work, README.md has every verb in its table and no other, each verb's --help has examples, README.md names
every Debian package that the scripts install and every board, the page of documents every schema, and links lead somewhere.

--write puts the real output into the files; read the difference before you keep it.
"""

import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

DOCUMENTS = ("README.md", "src/README.md", "boards/README.md", "templates/README.md", "tests/README.md",
             "samples/README.md", "samples/*/README.md", "samples/docs/*.md")
LINKED = ("samples", "boards", "templates")
FENCE = "```"


class Checker:
    def __init__(self, memsize: Path, source: Path, write: bool) -> None:
        self.memsize, self.source, self.write = memsize, source, write
        self.problems: list[str] = []
        self.commands = 0

    def wrong(self, what: object, message: str) -> None:
        self.problems.append(f"{what}: {message}")

    # --- Examples ---------------------------------------------------------------------------------

    def run(self, command: str, folder: Path, status: int = 0) -> tuple[int, list[str]]:
        """The command's exit status and output; '$?' is `status` where it begins."""
        environment = {**os.environ, "NO_COLOR": "1", "LC_ALL": "C.UTF-8",
                       "PATH": f"{folder / 'build' / 'release'}{os.pathsep}{os.environ.get('PATH', '')}"}
        done = subprocess.run(["bash", "-c", f"(exit {status}); {command}"], cwd=folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120, env=environment)
        return done.returncode, (done.stdout + done.stderr).splitlines()

    def make_folder(self, folder: Path) -> None:
        for name in LINKED:
            (folder / name).symlink_to(self.source / name)
        (folder / "build" / "release").mkdir(parents=True)
        (folder / "build" / "release" / "memsize").symlink_to(self.memsize)

    def check_examples(self, path: Path) -> None:
        lines = path.read_text(encoding="utf-8").splitlines()
        result: list[str] = []
        name = path.relative_to(self.source).as_posix()
        with tempfile.TemporaryDirectory(prefix="memsize-readme-") as folder:
            self.make_folder(Path(folder))
            at = 0
            while at < len(lines):
                result.append(lines[at])
                at += 1
                if result[-1].strip() == FENCE + "console":
                    end = next((i for i in range(at, len(lines)) if lines[i].strip() == FENCE), len(lines))
                    result += self.check_block(name, at + 1, lines[at:end], Path(folder))
                    at = end
        if self.write and result != lines:
            path.write_text("\n".join(result) + "\n", encoding="utf-8")

    def check_block(self, name: str, first: int, lines: list[str], folder: Path) -> list[str]:
        """Compares one block; gives it back with the real output."""
        if not lines or not lines[0].startswith("$ "):
            self.wrong(f"{name}:{first}", "a console block must begin with a command")
            return lines
        starts = [i for i, line in enumerate(lines) if line.startswith("$ ")] + [len(lines)]
        result: list[str] = []
        status = 0
        for start, end in zip(starts, starts[1:]):
            command = lines[start][2:]
            where = f"{name}:{first + start}: {command}"
            status, output = self.run(command, folder, status)
            output = [line.rstrip() for line in output]
            expected = [line.rstrip() for line in lines[start + 1:end]]
            self.commands += 1
            if output != expected and not self.write:
                self.wrong(where, "prints something else\n" + "\n".join(
                    difflib.unified_diff(expected, output, "documented", "printed", lineterm="")))
            shown = end < len(lines) and lines[end] == "$ echo $?"
            if status != 0 and not shown:
                self.wrong(where, f"ends with status {status}, and the document does not say so with '$ echo $?'")
            result += [lines[start], *output]
        return result

    # --- What README.md must name -------------------------------------------------------------------

    def check_verbs(self, readme: str) -> None:
        status, text = self.run("memsize --help", self.folder)
        if status != 0 or "Verbs:" not in text:
            self.wrong("memsize --help", "has no list of verbs")
            return
        verbs = []
        for line in text[text.index("Verbs:") + 1:]:
            word = re.match(r"  (\S+)", line)
            if not word:
                break
            verbs.append(word.group(1))
        section = re.search(r"^## Verbs$(.*?)^## ", readme, re.M | re.S)
        table = re.findall(r"^\| `(\w+)", section.group(1), re.M) if section else []
        for verb in sorted(set(verbs) ^ set(table)):
            self.wrong("README.md", f"the table of verbs {'lacks' if verb in verbs else 'has, but memsize has not:'} {verb}")
        for verb in verbs:
            status, text = self.run(f"memsize {verb} --help", self.folder)
            examples = [i for i, line in enumerate(text) if re.fullmatch(r"Examples?:", line)]
            if status != 0 or not examples or f"  memsize {verb} " not in "\n".join(text[examples[0]:]):
                self.wrong(f"memsize {verb} --help", "has no examples of this verb")
        if not verbs:
            self.wrong("memsize --help", "lists no verb")

    def check_names(self, readme: str) -> None:
        install = (self.source / "tests" / "support" / "install.sh").read_text(encoding="utf-8")
        packages = " ".join(re.findall(r"\w+_packages=\(\n(.*?)\n\)", install, re.S)).split()
        boards = sorted(file.stem for file in (self.source / "boards").glob("*.toml"))
        schemas = sorted((self.source / "samples" / "schema").glob("*.json"))
        # Ours have one number; those of others are called as their schema's file.
        documents = ["memsize." + file.stem.replace("-", "/") if "." not in file.stem else file.stem for file in schemas]
        for kind, names in (("package", packages), ("board", boards), ("document", documents)):
            if not names:
                self.wrong("README.md", f"found no {kind} to look for")
            for name in names:
                text = (self.source / "samples/docs/documents.md").read_text(encoding="utf-8") if kind == "document" else readme
                if f"`{name}`" not in text:
                    self.wrong("samples/docs/documents.md" if kind == "document" else "README.md", f"does not name the {kind} `{name}`")

    def check_first_minute(self, readme: str) -> None:
        """What a newcomer types first works word by word, and says nothing is wrong."""
        section = re.search(r"^## 60 seconds$.*?^```sh$(.*?)^```$", readme, re.M | re.S)
        commands = [line for line in section.group(1).splitlines() if line.startswith("memsize ")] if section else []
        if not commands:
            self.wrong("README.md", "the first minute has no command")
        for command in commands:
            done = subprocess.run(["bash", "-c", command], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, timeout=120, env={**os.environ, "PATH": f"{self.folder}/build/release:{os.environ['PATH']}"})
            if done.returncode != 0 or done.stderr:
                self.wrong(f"README.md: {command}", f"ends with status {done.returncode}\n{done.stderr}")

    def check_parts(self, readme: str) -> None:
        """The table of boards names exactly the parts that --board takes."""
        section = readme[readme.index("\n## Boards\n"):]
        for file in sorted((self.source / "boards").glob("*.toml")):
            numbers = tomllib.loads(file.read_text(encoding="utf-8")).get("part_numbers", [])
            row = re.search(rf"^\| `{file.stem}`[^|]*\| ([^|]*) \|", section, re.M)
            named = re.findall(r"\b[A-Z]+\d+\w*", row.group(1)) if row else []
            if numbers and sorted(set(named)) != sorted(numbers):
                self.wrong("README.md", f"has other parts of {file.stem} than its file: {named}, {numbers}")
            for number in numbers:
                status, text = self.run(f"memsize board show {number.lower()} | head -1", self.folder)
                if status != 0 or not text[0].startswith(f"{file.stem}:"):
                    self.wrong(f"memsize board show {number.lower()}", f"does not show {file.stem}")

    def check_links(self, path: Path) -> None:
        text = re.sub(rf"^{FENCE}.*?^{FENCE}$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if "://" not in target and not (path.parent / target).exists():
                self.wrong(path.relative_to(self.source), f"leads to '{target}', which is not there")

    def check_length(self, readme: str) -> None:
        """More than this nobody reads: the rest is in samples/docs."""
        if (lines := readme.count("\n")) > 400:
            self.wrong("README.md", f"has {lines} lines, more than 400")

    def check(self) -> None:
        files = sorted({file for pattern in DOCUMENTS for file in self.source.glob(pattern)})
        for file in files:
            self.check_examples(file)
            self.check_links(file)
        readme = (self.source / "README.md").read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory(prefix="memsize-readme-") as folder:
            self.folder = Path(folder)
            self.make_folder(self.folder)
            self.check_verbs(readme)
            self.check_first_minute(readme)
            self.check_parts(readme)
        self.check_names(readme)
        self.check_length(readme)
        for problem in self.problems:
            print(problem)
        print(f"run_readme: {len(files)} files, {self.commands} commands, {len(self.problems)} problems")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memsize", required=True, type=Path)
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--write", action="store_true", help="put the real output into the files")
    options = parser.parse_args()
    checker = Checker(options.memsize.resolve(), options.source.resolve(), options.write)
    checker.check()
    return 1 if checker.problems or checker.commands == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
