/** Names in order. */
export class SortedNames {
  readonly #names: string[] = [];

  get size(): number {
    return this.#names.length;
  }

  add(name: string): void {
    const at = this.#placeOf(name);
    if (this.#names[at] !== name) this.#names.splice(at, 0, name);
  }

  delete(name: string): void {
    const at = this.#placeOf(name);
    if (this.#names[at] === name) this.#names.splice(at, 1);
  }

  /** Those behind a name, or all. */
  *after(name?: string): Generator<string> {
    const first = name === undefined ? 0 : this.#placeOf(name);
    for (let at = this.#names[first] === name ? first + 1 : first; at < this.#names.length; at += 1)
      yield this.#names[at] ?? '';
  }

  /** Where it is, or would be. What is added is mostly the last one: lists come in order. */
  #placeOf(name: string): number {
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
