import { Octokit } from '@octokit/core';
import { paginateRest } from '@octokit/plugin-paginate-rest';
import { retry } from '@octokit/plugin-retry';
import { throttling } from '@octokit/plugin-throttling';

export const ServiceOctokit = Octokit.plugin(paginateRest, retry, throttling);
export type Client = InstanceType<typeof ServiceOctokit>;

export const parseRepo = (repo: string): { owner: string; repo: string } => {
  const [owner = '', name = ''] = repo.split('/');
  return { owner, repo: name };
};

/** A person waits for the response, so a failure is retried after one second only. */
export const interactive = { request: { retries: 1 } };
