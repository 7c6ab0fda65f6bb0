import { fileURLToPath } from 'node:url';

/** The sample Product, which the embedded code host holds as `acme/hello`. */
export const sampleFolder = fileURLToPath(new URL('../local/sample/hello', import.meta.url));
