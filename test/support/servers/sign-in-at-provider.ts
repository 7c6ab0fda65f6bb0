/** Keeps the cookies of one site, as a browser does. */
class CookieJar {
  readonly #cookies = new Map<string, string>();

  store(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', ...value] = pair.split('=');
      this.#cookies.set(name.trim(), value.join('='));
    }
  }

  toHeader = (): string => [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}

/**
 * Signs a person in on the pages of a provider, and accepts what these ask. Returns the URL that the provider then
 * redirects the browser to, which begins with `callback`.
 */
export async function signInAtProvider(
  authorizationUrl: string,
  { fields, callback }: { fields: Record<string, string>; callback: string },
): Promise<string> {
  const jar = new CookieJar();
  let url = new URL(authorizationUrl);
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 20; step += 1) {
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      body: form ?? null,
      redirect: 'manual',
      headers: { cookie: jar.toHeader() },
    });
    jar.store(response);
    form = undefined;
    const location = response.headers.get('location');
    if (location !== null) {
      url = new URL(location, url);
      if (url.href.startsWith(callback)) return url.href;
      continue;
    }
    const page = await response.text();
    const filled = fillForm(page, fields);
    if (!filled) throw new Error(`${response.status} without a form at ${url.href}: ${page.slice(0, 500)}`);
    url = new URL(filled.action || url.href, url);
    form = filled.body;
  }
  throw new Error('The provider never redirected to the callback.');
}

function fillForm(page: string, fields: Record<string, string>): { action: string; body: URLSearchParams } | undefined {
  const form = /<form[^>]*>([\s\S]*?)<\/form>/.exec(page);
  if (!form) return undefined;
  const action = (/action="([^"]*)"/.exec(form[0])?.[1] ?? '').replaceAll('&amp;', '&');
  const body = new URLSearchParams();
  for (const [input] of form[0].matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1];
    if (name !== undefined) body.set(name, fields[name] ?? /value="([^"]*)"/.exec(input)?.[1] ?? '');
  }
  return { action, body };
}
