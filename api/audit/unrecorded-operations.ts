/** The operations that change something and leave no entry, each with its reason. Every other one is recorded. */
export const unrecordedOperations: Record<string, string> = {
  receiveAlerts: 'Alertmanager sends it; the Incident keeps what it said.',
  receiveCodehostDelivery: 'The code host sends it; the Delivery keeps what it started.',
  startDeviceSignIn: 'A stranger may call it, and nothing changes until a person approves.',
  startZoneSignIn: 'It is a visit of a zone by a person who has signed in.',
  authorizeZoneRequest: 'It is a visit of a zone by a person who has signed in.',
};
