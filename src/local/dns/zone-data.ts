import type { Answer } from 'dns-packet';
import type { DnsEndpoint } from '../../rules/domains/kinds.ts';

type Endpoint = DnsEndpoint['spec']['endpoints'][number];
export type Found = { isThere: boolean; answers: Answer[] };

/** What the DNSEndpoints together say of the names under some zones. */
export class ZoneData {
  readonly #objects = new Map<string, readonly Endpoint[]>();
  #names = new Map<string, Endpoint[]>();

  set(uid: string, endpoints: readonly Endpoint[] | undefined): void {
    if (endpoints) this.#objects.set(uid, endpoints);
    else this.#objects.delete(uid);
    this.#names = Map.groupBy([...this.#objects.values()].flat(), ({ dnsName }) => dnsName.toLowerCase());
  }

  /** What stands at the name, or at the wildcard that answers for it. */
  find(name: string, type: string): Found {
    const here = this.#names.get(name) ?? this.#wildcardFor(name);
    if (!here) return { isThere: this.#isAbove(name), answers: [] };
    const fitting = here.filter(({ recordType }) => recordType === type || recordType === 'CNAME');
    return { isThere: true, answers: fitting.flatMap((endpoint) => answersOf(endpoint, name)) };
  }

  /** The closest name above that there is decides; beyond it no wildcard answers. */
  #wildcardFor(name: string): Endpoint[] | undefined {
    for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
      const above = name.slice(dot + 1);
      const wildcard = this.#names.get(`*.${above}`);
      if (wildcard) return wildcard;
      if (this.#names.has(above)) return undefined;
    }
    return undefined;
  }

  /** A name without records exists where others stand under it. */
  #isAbove(name: string): boolean {
    return [...this.#names.keys()].some((one) => one.endsWith(`.${name}`));
  }
}

const answersOf = ({ recordType, targets, recordTTL = 60 }: Endpoint, name: string): Answer[] =>
  targets.flatMap((data): Answer[] => {
    if (recordType === 'A' || recordType === 'AAAA' || recordType === 'CNAME')
      return [{ type: recordType, name, ttl: recordTTL, data }];
    return recordType === 'TXT' ? [{ type: 'TXT', name, ttl: recordTTL, data }] : [];
  });
