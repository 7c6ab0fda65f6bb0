/** Returns the URL of a zone under a platform domain. The scheme and the port of the first pattern stay. */
export function toZoneAddress(first: (zone: string) => string, platformDomain: string | undefined) {
  return (zone: string): string => {
    const pattern = URL.parse(first('zone'));
    if (platformDomain === undefined || !pattern || pattern.hostname === `zone.${platformDomain}`) return first(zone);
    const port = pattern.port === '' ? '' : `:${pattern.port}`;
    return `${pattern.protocol}//${zone}.${platformDomain}${port}`;
  };
}
