import type { InsideDestination } from '../../rules/network/allowed-inside.ts';
import type { CaaRecord, Observation } from '../../rules/domains/observation.ts';

export type LookupOptions = {
  /** Queries every server of the DNS zone, without the cache. Otherwise the first answer counts. */
  allServers?: boolean;
};

/** Looks up records at the authoritative servers, so that no cache delays a change. */
export type Dns = {
  /** Returns the TXT records at exactly this name, with their chunks joined. Aliases are not followed. */
  lookupTxt(name: string, options?: LookupOptions): Promise<Observation<string>>;
  /** Returns the IPv4 and IPv6 addresses of the name. The lookup stops at the alias `stopAtAlias`. */
  lookupAddresses(name: string, options?: LookupOptions & { stopAtAlias?: string }): Promise<Observation<string>>;
  /** Returns the first set of CAA records between the name and the root, which is the effective one. */
  lookupCaa(name: string, options?: LookupOptions): Promise<Observation<CaaRecord>>;
  close(): Promise<void>;
};

export type DnsOptions = {
  /** Used to find DNS zones and their servers, and as fallback: `address` or `address:port`. */
  resolvers: readonly string[];
  /** The servers of DNS zones that no resolver knows. */
  zoneServers?: readonly { dnsZone: string; server: string }[];
  /** The port of authoritative servers. */
  port?: number;
  /** Name servers inside the network that DNS zones of tenants may name; all others must be public. */
  allowedInside: readonly InsideDestination[];
  /** The response timeout of one server. */
  timeoutMs?: number;
  /** The timeout of one lookup with all its queries. A lookup that takes longer is `unknown`. */
  lookupTimeoutMs?: number;
  now: () => Date;
};
