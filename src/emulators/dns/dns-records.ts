import type { Answer } from 'dns-packet';
import type { DnsEndpoint } from '../../kinds/external-dns.ts';

type Endpoint = DnsEndpoint['spec']['endpoints'][number];
export type LookupResult = { exists: boolean; answers: Answer[] };

/** Merges the records of all DNSEndpoints. */
export class DnsRecords {
  readonly #endpointsByUid = new Map<string, readonly Endpoint[]>();
  #endpointsByName = new Map<string, Endpoint[]>();

  set(uid: string, endpoints: readonly Endpoint[] | undefined): void {
    if (endpoints) this.#endpointsByUid.set(uid, endpoints);
    else this.#endpointsByUid.delete(uid);
    this.#endpointsByName = Map.groupBy([...this.#endpointsByUid.values()].flat(), ({ dnsName }) =>
      dnsName.toLowerCase(),
    );
  }

  /** Returns the records of the name, or of the wildcard that covers it. */
  lookup(name: string, type: string): LookupResult {
    const endpoints = this.#endpointsByName.get(name) ?? this.#findWildcard(name);
    if (!endpoints) return { exists: this.#isEmptyNonTerminal(name), answers: [] };
    const matching = endpoints.filter(({ recordType }) => recordType === type || recordType === 'CNAME');
    return { exists: true, answers: matching.flatMap((endpoint) => toAnswers(endpoint, name)) };
  }

  /** The closest existing ancestor decides; wildcards above it do not apply. */
  #findWildcard(name: string): Endpoint[] | undefined {
    for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
      const ancestor = name.slice(dot + 1);
      const wildcard = this.#endpointsByName.get(`*.${ancestor}`);
      if (wildcard) return wildcard;
      if (this.#endpointsByName.has(ancestor)) return undefined;
    }
    return undefined;
  }

  /** A name without records exists if a record below it exists (an empty non-terminal). */
  #isEmptyNonTerminal(name: string): boolean {
    return [...this.#endpointsByName.keys()].some((other) => other.endsWith(`.${name}`));
  }
}

const toAnswers = ({ recordType, targets, recordTTL = 60 }: Endpoint, name: string): Answer[] =>
  targets.flatMap((data): Answer[] => {
    if (recordType === 'A' || recordType === 'AAAA' || recordType === 'CNAME')
      return [{ type: recordType, name, ttl: recordTTL, data }];
    return recordType === 'TXT' ? [{ type: 'TXT', name, ttl: recordTTL, data }] : [];
  });
