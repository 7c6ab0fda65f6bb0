import type { UiFiles } from './ui-files.ts';

/** Returns the name of the script that the start page loads, which differs in every build of the web UI. */
export function findUiBuild(ui: UiFiles | undefined): string | undefined {
  const page = ui?.get('/index.html');
  return page && /src="\/(assets\/[\w.-]+\.js)"/.exec(new TextDecoder().decode(page.body))?.[1];
}
