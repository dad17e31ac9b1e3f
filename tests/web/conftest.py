"""One server for all tests of a file, and a page for each test."""

from served import page as page
from served import served as served
