/** The largest timestamp with 13 digits, in the year 2286. */
const latestTimestampMs = 9_999_999_999_999;

/** Builds names that sort newest first, because the store lists objects by name. */
export function deliveryName(delivery: { agentWorkflow: string; at: Date; id: string }): string {
  return `${delivery.agentWorkflow}.${String(latestTimestampMs - delivery.at.getTime()).padStart(13, '0')}.${delivery.id}`;
}
