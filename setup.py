"""What pyproject.toml cannot say: a wheel has config/ and requirements.lock beside the modules that read them."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class WithConfiguration(build_py):
    """Copies both into the package, but for an editable installation, which reads them where they are."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            copy = Path(self.build_lib) / "robustdr" / "config"
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree("config", copy, ignore=shutil.ignore_patterns("schemas"))
            shutil.copy("requirements.lock", copy.parent)


setup(cmdclass={"build_py": WithConfiguration})
