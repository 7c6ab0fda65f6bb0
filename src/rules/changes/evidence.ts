/** The folder for an agent's evidence files, which are never committed. */
export const evidenceFolder = '.service/artifacts';

export const evidenceFilesMax = 12;
export const evidenceBytesMax = 700 * 1024;
export const tooManyFilesMessage = `A step can have at most ${evidenceFilesMax} evidence files.`;

/** Labels on the ConfigMap of an evidence file that name its run and its step. */
export const artifactRunLabel = 'service.delivery/artifact-run';
export const artifactStepLabel = 'service.delivery/artifact-step';
/** A label on the ConfigMap of a zone's screenshot that names the Release. */
export const artifactReleaseLabel = 'service.delivery/artifact-release';
/** Annotations with the file's name in the step's folder, and with its media type as detected from its content. */
export const artifactNameAnnotation = 'service.delivery/artifact-name';
export const artifactTypeAnnotation = 'service.delivery/artifact-type';
/** The key of the bytes in `binaryData`. */
export const artifactDataKey = 'file';

/** A step's status refers to an evidence file by this pointer. */
export const toArtifactPointer = (id: string): string => `artifact:${id}`;
export const toArtifactId = (pointer: string): string => pointer.replace(/^artifact:/, '');

const inlineTypes = /^(image\/[\w.+-]+|video\/[\w.+-]+|text\/plain|application\/json)$/;

/** Browsers may display only these types, in a sandbox without scripts; all other files are sent as downloads. */
export const isShownInline = (type: string): boolean => inlineTypes.test(type);
