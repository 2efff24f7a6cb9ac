"""The files of a lake as Arrow reads them."""

from __future__ import annotations

from io import BufferedReader, UnsupportedOperation
from typing import Any

import pyarrow as pa
from pyarrow.fs import FileInfo, FileSystem, FileSystemHandler, FileType, LocalFileSystem, PyFileSystem

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
    """A file system to read from. What lists or writes raises OSError."""

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

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise UnsupportedOperation(f"the files of {self._files.root} are only read here, and not listed")

    get_file_info_selector = create_dir = delete_dir = delete_dir_contents = delete_root_dir_contents = _refuse
    delete_file = move = copy_file = open_output_stream = open_append_stream = _refuse
