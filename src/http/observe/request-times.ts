import fp from 'fastify-plugin';

export interface RequestTimes {
  metrics: { answered(request: { method: string; route: string | undefined; status: number; seconds: number }): void };
}

/** Reports the duration of each request when its answer was sent. */
export const requestTimes = fp<RequestTimes>(async (app, { metrics }) => {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request;
    metrics.answered({ method, route: routeOptions.url, status: reply.statusCode, seconds: reply.elapsedTime / 1000 });
    done();
  });
});
