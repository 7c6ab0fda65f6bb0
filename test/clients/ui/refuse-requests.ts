import type { HTTPRequest, Page } from 'puppeteer-core';
import { expect } from 'vitest';

const problem = { status: 404, title: 'Not found', reason: 'not-found', detail: 'The file was replaced.' };

/** Answers the requests that match with a problem, until `stop`. */
export async function refuseRequests(page: Page, matches: (request: HTTPRequest) => boolean) {
  const refused: string[] = [];
  let isRefusing = true;
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    if (!isRefusing || !matches(request)) return void request.continue();
    refused.push(request.url());
    void request.respond({ status: 404, contentType: 'application/problem+json', body: JSON.stringify(problem) });
  });
  return { refused, stop: (): void => void (isRefusing = false) };
}

/** Answers the requests that match with a refusal that says to come back later. */
export async function limitRequests(page: Page, matches: (request: HTTPRequest) => boolean): Promise<void> {
  const body = JSON.stringify({
    status: 429,
    title: 'Too Many Requests',
    reason: 'limited',
    detail: 'Come back later.',
  });
  await page.setRequestInterception(true);
  page.on(
    'request',
    (request) =>
      void (matches(request)
        ? request.respond({ status: 429, contentType: 'application/problem+json', body })
        : request.continue()),
  );
}

/** Holds the requests that match, until \`release\`; \`isHeld\` waits for the first. */
export async function holdRequests(page: Page, matches: (request: HTTPRequest) => boolean) {
  const held: HTTPRequest[] = [];
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    if (matches(request)) held.push(request);
    else void request.continue();
  });
  return {
    isHeld: async () => await expect.poll(() => held.length).toBe(1),
    release: async () => await Promise.all(held.map(async (request) => await request.continue())),
  };
}
