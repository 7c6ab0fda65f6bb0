import { fileURLToPath } from 'node:url';

/** The folder of the sample Product, which the embedded code host serves as `acme/hello`. */
export const sampleFolder = fileURLToPath(new URL('../../emulators/sample/hello', import.meta.url));
