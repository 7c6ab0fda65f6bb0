import type { HTTPRequest, Page } from 'puppeteer-core';

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
