#!/bin/sh
# Runs the tests and keeps their report as evidence of a Change.
mkdir -p .service/artifacts
python3 -m unittest discover --verbose > .service/artifacts/test-report.txt 2>&1
status=$?
cat .service/artifacts/test-report.txt
exit $status
