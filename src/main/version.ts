/** The version of the service itself. */
export const version = '0.1.0';
