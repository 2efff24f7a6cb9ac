"""The files of a lake as Arrow reads them."""

from __future__ import annotations

from io import BufferedReader
from typing import Any

import pyarrow as pa
from pyarrow.fs import FileInfo, FileSelector, FileSystem, FileSystemHandler, FileType, LocalFileSystem, PyFileSystem

from .storage import Storage


def file_system(files: Storage) -> FileSystem:
    return LocalFileSystem() if files.is_local else PyFileSystem(_Handler(files))


def path_in(files: Storage, path: str) -> str:
    """The path of a file in that file system."""
    return str(files.root / path) if files.is_local else path


def source_of(files: Storage, path: str) -> str | BufferedReader:
    """A file for a reader of Parquet."""
    return str(files.root / path) if files.is_local else files.open(path)


class _Handler(FileSystemHandler):
    """A file system to read from; what writes is not offered."""

    def __init__(self, files: Storage):
        self._files = files

    def get_type_name(self) -> str:
        return "ironlake"

    def normalize_path(self, path: str) -> str:
        return path

    def get_file_info(self, paths: list[str]) -> list[FileInfo]:
        return [self._info(path) for path in paths]

    def _info(self, path: str) -> FileInfo:
        try:
            return FileInfo(path, FileType.File, size=self._files.size(path))
        except FileNotFoundError:
            return FileInfo(path, FileType.NotFound)

    def open_input_file(self, path: str) -> Any:
        return pa.PythonFile(self._files.open(path), mode="r")

    def open_input_stream(self, path: str) -> Any:
        return self.open_input_file(path)

    def get_file_info_selector(self, selector: FileSelector) -> list[FileInfo]:
        raise NotImplementedError

    def create_dir(self, path: str, recursive: bool) -> None:
        raise NotImplementedError

    def delete_dir(self, path: str) -> None:
        raise NotImplementedError

    def delete_dir_contents(self, path: str, missing_dir_ok: bool = False) -> None:
        raise NotImplementedError

    def delete_root_dir_contents(self) -> None:
        raise NotImplementedError

    def delete_file(self, path: str) -> None:
        raise NotImplementedError

    def move(self, src: str, dest: str) -> None:
        raise NotImplementedError

    def copy_file(self, src: str, dest: str) -> None:
        raise NotImplementedError

    def open_output_stream(self, path: str, metadata: Any) -> Any:
        raise NotImplementedError

    def open_append_stream(self, path: str, metadata: Any) -> Any:
        raise NotImplementedError
