"""Telling what a run found: saved runs in a folder, and a report of them as one HTML file."""

from atmostk.report.attack_run import attack_run
from atmostk.report.feature_run import feature_run
from atmostk.report.graph_path_plot import plot_path
from atmostk.report.graph_run import graph_run
from atmostk.report.loop_run import loop_run
from atmostk.report.network_plot import plot_network
from atmostk.report.page import html_report, write_report
from atmostk.report.run_folder import load_run, save_run
from atmostk.report.saved_run import SavedRun

__all__ = [
    "SavedRun",
    "attack_run",
    "feature_run",
    "graph_run",
    "html_report",
    "load_run",
    "loop_run",
    "plot_network",
    "plot_path",
    "save_run",
    "write_report",
]
