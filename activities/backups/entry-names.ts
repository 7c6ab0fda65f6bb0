/** The names of entries begin with these; what follows is for people, except the key of a blob. */
export const objectsFolder = 'objects/';
export const blobsFolder = 'blobs/';
