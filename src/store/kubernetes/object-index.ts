import type { AnyObject } from '../any-object.ts';
import type { PagePosition } from '../page-token.ts';
import type { ListOptions, Ref } from '../store.ts';
import { matches, toSelectionTerms, toIndexTerms } from './selection.ts';
import { compareNames, SortedNames } from './sorted-names.ts';

type NamespaceIndex = { objects: Map<string, AnyObject>; names: SortedNames; byTerm: Map<string, SortedNames> };

/** Objects of an earlier version, by namespace and name; undefined for one that did not exist. */
export type Overrides = Map<string, Map<string, AnyObject | undefined>>;

/** Indexes the objects of one kind by namespace and name, by label and by selectable field. */
export class ObjectIndex {
  readonly #indexedFields: readonly string[];
  readonly #namespaces = new Map<string, NamespaceIndex>();

  constructor(indexedFields: readonly string[] = []) {
    this.#indexedFields = indexedFields;
  }

  find({ namespace, name }: Ref): AnyObject | undefined {
    return this.#namespaces.get(namespace)?.objects.get(name);
  }

  put(object: AnyObject): void {
    const { namespace, name } = object.metadata;
    const index = this.#getNamespaceIndex(namespace);
    const before = index.objects.get(name);
    index.objects.set(name, object);
    if (!before) index.names.add(name);
    const terms = toIndexTerms(object, this.#indexedFields);
    const termsBefore = before ? toIndexTerms(before, this.#indexedFields) : [];
    for (const term of termsBefore) if (!terms.includes(term)) this.#removeTerm(index, term, name);
    for (const term of terms) if (!termsBefore.includes(term)) this.#addTerm(index, term, name);
  }

  delete({ namespace, name }: Ref): void {
    const index = this.#namespaces.get(namespace);
    const object = index?.objects.get(name);
    if (!index || !object) return;
    index.objects.delete(name);
    index.names.delete(name);
    for (const term of toIndexTerms(object, this.#indexedFields)) this.#removeTerm(index, term, name);
    if (index.objects.size === 0) this.#namespaces.delete(namespace);
  }

  /** Yields the selected objects after a position, with the overrides applied. */
  *select(
    selection: Pick<ListOptions, 'namespace' | 'labels' | 'fields'>,
    after?: Pick<PagePosition, 'namespace' | 'name'>,
    overrides: Overrides = new Map(),
  ): Generator<AnyObject> {
    const namespaces =
      selection.namespace === undefined
        ? [...new Set([...this.#namespaces.keys(), ...overrides.keys()])].toSorted(compareNames)
        : [selection.namespace];
    for (const namespace of namespaces) {
      if (after && namespace < after.namespace) continue;
      const afterName = after?.namespace === namespace ? after.name : undefined;
      const overridden = overrides.get(namespace);
      const objects = this.#namespaces.get(namespace)?.objects;
      for (const name of this.#candidates(namespace, { selection, afterName, overridden })) {
        const object = overridden?.has(name) ? overridden.get(name) : objects?.get(name);
        if (object && matches(object, selection)) yield object;
      }
    }
  }

  #candidates(
    namespace: string,
    {
      selection,
      afterName,
      overridden,
    }: {
      selection: Pick<ListOptions, 'labels' | 'fields'>;
      afterName: string | undefined;
      overridden: Map<string, unknown> | undefined;
    },
  ): Iterable<string> {
    const index = this.#namespaces.get(namespace);
    const indexed = index ? this.#smallestCandidates(index, selection).after(afterName) : [];
    if (!overridden) return indexed;
    const more = [...overridden.keys()].filter((name) => afterName === undefined || name > afterName);
    return [...new Set([...indexed, ...more])].toSorted(compareNames);
  }

  #smallestCandidates(index: NamespaceIndex, selection: Pick<ListOptions, 'labels' | 'fields'>): SortedNames {
    const lists = toSelectionTerms(selection, this.#indexedFields).map(
      (term) => index.byTerm.get(term) ?? new SortedNames(),
    );
    return lists.reduce((least, list) => (list.size < least.size ? list : least), index.names);
  }

  #getNamespaceIndex(namespace: string): NamespaceIndex {
    const existing = this.#namespaces.get(namespace);
    if (existing) return existing;
    const index: NamespaceIndex = { objects: new Map(), names: new SortedNames(), byTerm: new Map() };
    this.#namespaces.set(namespace, index);
    return index;
  }

  #addTerm(index: NamespaceIndex, term: string, name: string): void {
    const names = index.byTerm.get(term) ?? new SortedNames();
    index.byTerm.set(term, names);
    names.add(name);
  }

  #removeTerm(index: NamespaceIndex, term: string, name: string): void {
    const names = index.byTerm.get(term);
    names?.delete(name);
    if (names?.size === 0) index.byTerm.delete(term);
  }
}
