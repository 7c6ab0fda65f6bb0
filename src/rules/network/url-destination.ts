/** Returns the host name of a URL without the brackets of an IPv6 address. */
export const toBareHost = (hostname: string): string => hostname.replaceAll(/^\[|\]$/g, '');

/** Returns the port of a URL, which is the default one of http or https when the URL names none. */
export const toPort = ({ protocol, port }: { protocol?: string | undefined; port?: string | undefined }): number =>
  Number(port || (protocol === 'https:' ? 443 : 80));
