/** What was seen of a name's records. "unknown" is never a no: nobody was heard who could tell. */
export type Seen<T> = {
  outcome: 'found' | 'absent' | 'unknown';
  records: T[];
  /** Said by a server of the zone itself; a resolver's word may be an old one. */
  authoritative: boolean;
  /** Who said so, and in which words. */
  server: string;
  said: string;
  at: string;
  /** Where a CNAME at the name led. */
  aliases: string[];
};

export type CaaRecord = { critical: boolean; tag: string; value: string };

export type Looking = {
  /** Asks every server of the zone, found anew; otherwise one that answers is enough. */
  thorough?: boolean;
};

/** What DNS says, asked at the servers of the zone itself so that no cache stands in between. */
export type Dns = {
  /** The texts at exactly this name, each joined of its chunks; where an alias leads is not looked at. */
  texts(name: string, looking?: Looking): Promise<Seen<string>>;
  /** The IPv4 and IPv6 addresses that people reach by this name; `until` is an alias that need not be followed further. */
  addresses(name: string, looking?: Looking & { until?: string }): Promise<Seen<string>>;
  /** The first set of CAA records on the way from this name to the root: the one that counts. */
  certificateAuthorities(name: string, looking?: Looking): Promise<Seen<CaaRecord>>;
  close(): Promise<void>;
};

export type DnsOptions = {
  /** Who is asked for zones and servers, and for answers where a zone's servers cannot be reached: `address` or `address:port`. */
  resolvers: readonly string[];
  /** Zones whose servers are known: for those that no resolver knows. */
  zoneServers?: readonly { zone: string; server: string }[];
  /** Where a zone's servers listen. */
  port?: number;
  /** How long one server may take to answer. */
  timeoutMs?: number;
  now: () => Date;
};
