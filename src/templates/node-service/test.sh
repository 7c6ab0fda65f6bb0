#!/bin/sh
# Runs the tests and keeps their report as evidence of a Change.
mkdir -p .service/artifacts
npm test > .service/artifacts/test-report.txt 2>&1
status=$?
cat .service/artifacts/test-report.txt
exit $status
