/** Returns the owner's Authorization header for URLs of the embedded code host, and of no other host. */
export function ownerCredentials(codehost: {
  url: string;
  userToken: string;
}): (url: string) => Promise<string | undefined> {
  const { origin } = new URL(codehost.url);
  const authorization = `Basic ${Buffer.from(`owner:${codehost.userToken}`).toString('base64')}`;
  // A URL that only begins like the code host's can belong to another host.
  return async (url) => (URL.parse(url)?.origin === origin ? authorization : undefined);
}
