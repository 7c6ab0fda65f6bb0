/** The files of a build of the web UI by their paths, such as `/index.html`. */
export type UiFiles = ReadonlyMap<string, { body: Uint8Array<ArrayBuffer>; type: string }>;
