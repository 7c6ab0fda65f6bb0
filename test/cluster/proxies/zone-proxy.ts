/** An Ingress controller or a Gateway that runs on this machine and serves the zones of a cluster. */
export type ZoneProxy = {
  port: number;
  /** The settings of the service for zones behind it. */
  settings: Record<string, string>;
  stop(): Promise<void>;
};

/** The suffix keeps the objects of several runs in one cluster apart. */
export type ProxyOptions = { folder: string; suffix: string };
