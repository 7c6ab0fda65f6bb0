import type { Dispatcher } from 'undici';
import { fetchWithTimeout } from '../network/fetch-with-timeout.ts';
import type { ClusterFinding } from '../../rules/clusters/kinds.ts';
import { trimSlashes } from '../../rules/trim-slashes.ts';

const subject = 'metrics';
const timeoutMs = 10_000;
const bytesMax = 64 * 1024;

/** Asks the Prometheus of a cluster one query, without credentials. */
export async function checkPrometheus(url: string | undefined, dispatcher: Dispatcher): Promise<ClusterFinding> {
  if (url === undefined)
    return {
      subject,
      result: 'warning',
      message: 'No Prometheus is set, so zones there show no metrics.',
      fix: 'Set prometheusUrl if the cluster has one.',
    };
  const fetch = fetchWithTimeout({ timeoutMs, bytesMax, dispatcher });
  const answers = await fetch(`${trimSlashes(url)}/api/v1/query?query=1`, { redirect: 'manual' })
    .then(async (response) => response.status === 200 && /"status"\s*:\s*"success"/.test(await response.text()))
    .catch(() => false);
  if (answers) return { subject, result: 'ok', message: 'Prometheus answers queries.' };
  return {
    subject,
    result: 'warning',
    message: `Prometheus at ${url} does not answer queries, so zones there show no metrics.`,
    fix: 'Check prometheusUrl: it must answer without credentials, at a public address or one that ALLOWED_INSIDE_ADDRESSES lists.',
  };
}
