/** Beyond every time that there will be. */
const farAheadMs = 9_999_999_999_999;

/** A record's name: lists go by name, and these come newest first. */
export function deliveryName(of: { agentWorkflow: string; at: Date; id: string }): string {
  return `${of.agentWorkflow}.${String(farAheadMs - of.at.getTime()).padStart(13, '0')}.${of.id}`;
}
