import type { AnyObject } from '../any-object.ts';
import type { Position } from '../page-token.ts';
import type { ListOptions, Ref } from '../store.ts';
import { matches, termsIn, termsOf } from './selection.ts';
import { SortedNames } from './sorted-names.ts';

type Space = { objects: Map<string, AnyObject>; names: SortedNames; byTerm: Map<string, SortedNames> };

/** What objects were at another time, by namespace and name; undefined where there was none. */
export type Otherwise = Map<string, Map<string, AnyObject | undefined>>;

/** Objects of one kind in the order of namespace and name, and by what they are mostly selected by. */
export class Objects {
  readonly #indexed: readonly string[];
  readonly #spaces = new Map<string, Space>();

  constructor(indexed: readonly string[] = []) {
    this.#indexed = indexed;
  }

  find({ namespace, name }: Ref): AnyObject | undefined {
    return this.#spaces.get(namespace)?.objects.get(name);
  }

  put(object: AnyObject): void {
    const { namespace, name } = object.metadata;
    const space = this.#space(namespace);
    const before = space.objects.get(name);
    space.objects.set(name, object);
    if (!before) space.names.add(name);
    const terms = termsOf(object, this.#indexed);
    const termsBefore = before ? termsOf(before, this.#indexed) : [];
    for (const term of termsBefore) if (!terms.includes(term)) this.#unlist(space, term, name);
    for (const term of terms) if (!termsBefore.includes(term)) this.#list(space, term, name);
  }

  delete({ namespace, name }: Ref): void {
    const space = this.#spaces.get(namespace);
    const object = space?.objects.get(name);
    if (!space || !object) return;
    space.objects.delete(name);
    space.names.delete(name);
    for (const term of termsOf(object, this.#indexed)) this.#unlist(space, term, name);
    if (space.objects.size === 0) this.#spaces.delete(namespace);
  }

  /** What is selected, behind that place, as things are or as they were otherwise. */
  *select(
    selection: Pick<ListOptions, 'namespace' | 'labels' | 'fields'>,
    after?: Pick<Position, 'namespace' | 'name'>,
    otherwise: Otherwise = new Map(),
  ): Generator<AnyObject> {
    const namespaces =
      selection.namespace === undefined
        ? [...new Set([...this.#spaces.keys(), ...otherwise.keys()])].toSorted(inOrder)
        : [selection.namespace];
    for (const namespace of namespaces) {
      if (after && namespace < after.namespace) continue;
      const behind = after?.namespace === namespace ? after.name : undefined;
      const differing = otherwise.get(namespace);
      const objects = this.#spaces.get(namespace)?.objects;
      for (const name of this.#candidates(namespace, { selection, behind, differing })) {
        const object = differing?.has(name) ? differing.get(name) : objects?.get(name);
        if (object && matches(object, selection)) yield object;
      }
    }
  }

  #candidates(
    namespace: string,
    {
      selection,
      behind,
      differing,
    }: {
      selection: Pick<ListOptions, 'labels' | 'fields'>;
      behind: string | undefined;
      differing: Map<string, unknown> | undefined;
    },
  ): Iterable<string> {
    const space = this.#spaces.get(namespace);
    const listed = space ? this.#narrowest(space, selection).after(behind) : [];
    if (!differing) return listed;
    const more = [...differing.keys()].filter((name) => behind === undefined || name > behind);
    return [...new Set([...listed, ...more])].toSorted(inOrder);
  }

  #narrowest(space: Space, selection: Pick<ListOptions, 'labels' | 'fields'>): SortedNames {
    const lists = termsIn(selection, this.#indexed).map((term) => space.byTerm.get(term) ?? new SortedNames());
    return lists.reduce((least, list) => (list.size < least.size ? list : least), space.names);
  }

  #space(namespace: string): Space {
    const known = this.#spaces.get(namespace);
    if (known) return known;
    const space: Space = { objects: new Map(), names: new SortedNames(), byTerm: new Map() };
    this.#spaces.set(namespace, space);
    return space;
  }

  #list(space: Space, term: string, name: string): void {
    const listed = space.byTerm.get(term) ?? new SortedNames();
    space.byTerm.set(term, listed);
    listed.add(name);
  }

  #unlist(space: Space, term: string, name: string): void {
    const listed = space.byTerm.get(term);
    listed?.delete(name);
    if (listed?.size === 0) space.byTerm.delete(term);
  }
}

const inOrder = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
