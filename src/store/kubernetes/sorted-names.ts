/** Compares by code unit, as etcd and SQLite sort names. */
export const compareNames = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** A sorted set of names. */
export class SortedNames {
  readonly #names: string[] = [];

  get size(): number {
    return this.#names.length;
  }

  add(name: string): void {
    const at = this.#findPosition(name);
    if (this.#names[at] !== name) this.#names.splice(at, 0, name);
  }

  delete(name: string): void {
    const at = this.#findPosition(name);
    if (this.#names[at] === name) this.#names.splice(at, 1);
  }

  /** Yields the names after a name, or all names. */
  *after(name?: string): Generator<string> {
    const first = name === undefined ? 0 : this.#findPosition(name);
    for (let at = this.#names[first] === name ? first + 1 : first; at < this.#names.length; at += 1)
      yield this.#names[at] ?? '';
  }

  /** Returns the position of a name, or its insertion point. Lists arrive sorted, so the end is checked first. */
  #findPosition(name: string): number {
    let low = 0;
    let high = this.#names.length;
    if (high > 0 && (this.#names[high - 1] ?? '') < name) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#names[middle] ?? '') < name) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
