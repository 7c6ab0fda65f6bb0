/** Where an agent puts files that show what it did; they are never committed. */
export const evidenceFolder = '.service/artifacts';

export const evidenceFilesMax = 12;
export const evidenceBytesMax = 700 * 1024;
export const tooManyFiles = `A step keeps at most ${evidenceFilesMax} files.`;

/** On the config object of an evidence file: the run and the step it is of. */
export const artifactRunLabel = 'service.delivery/artifact-of-run';
export const artifactStepLabel = 'service.delivery/artifact-of-step';
/** On that of a picture of a zone: the Release that it shows there. */
export const artifactReleaseLabel = 'service.delivery/artifact-of-release';
/** Its name in the step's folder, and its type by what is in it. */
export const artifactNameAnnotation = 'service.delivery/artifact-name';
export const artifactTypeAnnotation = 'service.delivery/artifact-type';
/** The key of its bytes. */
export const artifactDataKey = 'file';

/** How a step points at a file. */
export const artifactPointer = (id: string): string => `artifact:${id}`;
export const artifactId = (pointer: string): string => pointer.replace(/^artifact:/, '');

const shownInline = /^(image\/(?!svg)[\w.+-]+|video\/[\w.+-]+|text\/plain|application\/json)$/;

/** Whether a browser may show a file of that type; whatever else there is, it may only save. */
export const isShownInline = (type: string): boolean => shownInline.test(type);
