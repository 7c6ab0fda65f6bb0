/** The Secret with the private key that signs decisions, and the ConfigMap with its public key. */
export const decisionKeyName = 'service-decision-key';

/** Label the public keys of installations that were restored here, which prove the decisions of that time. */
export const formerDecisionKeyLabels = { 'service.delivery/former-decision-key': 'true' };
