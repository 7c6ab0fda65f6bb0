import { ServiceError } from '../../errors.ts';
import type { ApiRequest, ApiServer } from './api-server.ts';

/** The API server of a workload cluster could continue a list for ever. */
export function limitRequests(server: ApiServer, requestsMax: number): ApiServer {
  let requests = 0;
  return {
    ...server,
    async request<T>(apiRequest: ApiRequest): Promise<T> {
      requests += 1;
      if (requests > requestsMax)
        throw new ServiceError('cluster-unavailable', 'The API server of the workload cluster does not end a list.');
      return await server.request<T>(apiRequest);
    },
  };
}
