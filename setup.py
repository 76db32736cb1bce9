"""What pyproject.toml cannot say: a wheel has a copy of config/ beside the modules that read it."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class WithConfiguration(build_py):
    """Copies config/ into the package, but for an editable installation, which reads it where it is."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            copy = Path(self.build_lib) / "robustdr" / "config"
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree("config", copy, ignore=shutil.ignore_patterns("schemas"))


setup(cmdclass={"build_py": WithConfiguration})
