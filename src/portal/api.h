// The routes of the portal, by subject. Each function adds its routes to the table; `services` must live longer.
#pragma once

#include "howdah/web/routes.h"
#include "services.h"

namespace howdah::portal {

inline constexpr std::string_view kApi = "/api/v1/";
std::string Path(std::string_view route);  // "/api/v1/" and the route

void AddSchemas(web::Routes& routes);
void AddListRoutes(Services& services, web::Routes& routes);    // jobs, health
void AddJobRoutes(Services& services, web::Routes& routes);     // jobs/ID and its parts
void AddLogRoutes(Services& services, web::Routes& routes);     // jobs/ID/logs
void AddActionRoutes(Services& services, web::Routes& routes);  // kill, scale, stacks
void AddOpenRoute(Services& services, web::Routes& routes);     // jobs/ID/open
void AddNotebookRoutes(Services& services, web::Routes& routes);
void AddTensorBoardRoutes(Services& services, web::Routes& routes);  // those that the portal runs
void AddRerunRoutes(Services& services, web::Routes& routes);        // jobs/ID/rerun, plan
void AddReportRoutes(Services& services, web::Routes& routes);       // goodput, advice
void AddCompareRoute(Services& services, web::Routes& routes);       // compare
void AddNameRoute(Services& services, web::Routes& routes);          // names/NAME
void AddScalarRoutes(Services& services, web::Routes& routes);       // jobs/ID/scalars
void AddClusterRoutes(Services& services, web::Routes& routes);      // cluster and its parts
void AddStreamRoute(Services& services, web::Routes& routes);
void AddMetricsRoute(Services& services, web::Routes& routes);  // /metrics
// openapi.json describes all routes of the table, which must live longer.
void AddOpenApiRoute(web::Routes& routes);
web::ApiTitle TitleOfApi();

// The parameter "id" of the path.
web::Parameter JobParameter();

}  // namespace howdah::portal
