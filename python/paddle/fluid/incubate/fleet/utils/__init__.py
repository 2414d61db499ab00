"""Helpers of fleet: HDFS, global metrics, donefiles."""
