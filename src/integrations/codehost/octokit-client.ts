import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { Octokit } from '@octokit/core';
import { paginateRest } from '@octokit/plugin-paginate-rest';
import { retry } from '@octokit/plugin-retry';
import { throttling } from '@octokit/plugin-throttling';
import { limitWriteWaits, translateRateLimits } from './octokit-rate-limits.ts';

/** Records a span per request, named by the route and not by the path, which contains names of private repos. */
function tracing({ hook }: Octokit): void {
  hook.wrap('request', async (request, options) => {
    const { method, url } = options;
    const isTemplate = url.startsWith('/');
    const name = `${method} ${isTemplate ? url : 'code host'}`;
    return await trace.getTracer('codehost').startActiveSpan(name, { kind: SpanKind.CLIENT }, async (span) => {
      try {
        return await request(options);
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  });
}

/** A cut text may end in half of a surrogate pair, whose JSON the code host rejects, also when it is sent again. */
function completeCharacters({ hook }: Octokit): void {
  hook.before('request', (options) => {
    for (const [name, value] of Object.entries(options))
      if (typeof value === 'string') Object.assign(options, { [name]: value.toWellFormed() });
  });
}

/** A later plugin surrounds the earlier ones: the last two see the end of every wait and retry. */
export const ServiceOctokit = Octokit.plugin(
  paginateRest,
  completeCharacters,
  retry,
  throttling,
  tracing,
  translateRateLimits,
  limitWriteWaits,
);
export type Client = InstanceType<typeof ServiceOctokit>;

export const parseRepo = (repo: string): { owner: string; repo: string } => {
  const [owner = '', name = ''] = repo.split('/');
  return { owner, repo: name };
};

/** A person waits for the response, so a failure is retried after one second only. */
export const interactive = { request: { retries: 1 } };
