const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Counts answered requests and their durations, and formats them for Prometheus. */
export function createMetrics() {
  // A series that starts at 0 shows its first error as an increase.
  const requests = { 200: 0, 500: 0 };
  const buckets = bounds.map(() => 0);
  let [seconds, count] = [0, 0];
  return {
    /** Measures one request until its response is sent. */
    measure(response) {
      const start = performance.now();
      response.once('finish', () => {
        const duration = (performance.now() - start) / 1000;
        requests[response.statusCode] = (requests[response.statusCode] ?? 0) + 1;
        bounds.forEach((bound, at) => (buckets[at] += duration <= bound ? 1 : 0));
        seconds += duration;
        count += 1;
      });
    },
    format: () =>
      [
        '# HELP http_requests_total Requests by the status code of the response.',
        '# TYPE http_requests_total counter',
        ...Object.entries(requests).map(([code, total]) => `http_requests_total{code="${code}"} ${total}`),
        '# HELP http_request_duration_seconds Seconds until the response was sent.',
        '# TYPE http_request_duration_seconds histogram',
        ...bounds.map((bound, at) => `http_request_duration_seconds_bucket{le="${bound}"} ${buckets[at]}`),
        `http_request_duration_seconds_bucket{le="+Inf"} ${count}`,
        `http_request_duration_seconds_sum ${seconds}`,
        `http_request_duration_seconds_count ${count}`,
        '',
      ].join('\n'),
  };
}
